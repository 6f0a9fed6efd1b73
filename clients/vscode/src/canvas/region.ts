/** A run of borrowed blank lines: where it is after a change, and which lines are still blank. */

import type { Span } from "../protocol";
import type { Change } from "../text/places";

/** Whether `change` is our own: blank lines put at the end of `region`. */
export function lengthens(region: Span, { range, text }: Change): boolean {
  return (
    [range.start, range.end].every((place) => same(place, region.end)) && /^[\r\n]+$/.test(text)
  );
}

export function longer(region: Span, { text }: Change): Span {
  const lines = text.split(/\r\n|\r|\n/).length - 1;
  return { start: region.start, end: { line: region.end.line + lines, character: 0 } };
}

/** Deleting these gives the lines back; a line on which somebody has written stays. */
export function blankLines(region: Span, lines: Lines): Span[] {
  const spans: Span[] = [];
  const last = Math.min(region.end.line, lines.lineCount - 1);
  for (let line = region.start.line; line < last; line += 1) {
    const previous = spans[spans.length - 1];
    if (lines.lineAt(line).text !== "") {
      continue;
    }
    const end = { line: line + 1, character: 0 };
    if (previous?.end.line === line) {
      spans[spans.length - 1] = { start: previous.start, end };
    } else {
      spans.push({ start: { line, character: 0 }, end });
    }
  }
  return spans;
}

interface Lines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

function same(a: Span["start"], b: Span["start"]): boolean {
  return a.line === b.line && a.character === b.character;
}
