/** Which line of the document shows which line of a frame. No editor here. */

import type { FrameLine, Span } from "../protocol";

export type Kind = "plain" | "mask" | "new" | "weak" | "rest";

export interface Run {
  readonly text: string;
  readonly kind: Kind;
}

/** What one line of the document shows from `column` on, in place of its text up to `hideTo`. */
export interface Row {
  readonly line: number;
  readonly column: number;
  readonly hideTo: number;
  readonly runs: readonly Run[];
}

/** The document as far as rows need it. */
export interface Lines {
  lineText(line: number): string;
}

/** Blank lines of the document, behind a span, that were put there to hold rows. */
export interface Room {
  readonly line: number;
  readonly count: number;
}

const FOLD: Run = { text: " ⏎ ", kind: "mask" };

/** The rows that show `frame` over `span`, and over `room` where it has more lines than the span.
 *
 * Lines that have no row are folded into the last one. What stands behind the span on its last line
 * is drawn behind the frame's last line.
 */
export function rowsOf(span: Span, frame: readonly FrameLine[], lines: Lines, room?: Room): Row[] {
  const places = linesOf(span, frame.length, room);
  const last = span.end.line;
  const rest = lines.lineText(last).slice(span.end.character);
  const contents = spread(frame.map(runsOf), places.length, rest !== "");
  const below = places.findIndex((line) => line > last) >= 0;
  return places.map((line, index) => {
    const tail =
      index === places.length - 1 && below && rest ? [{ text: rest, kind: "rest" } as const] : [];
    const size = lines.lineText(line).length;
    return {
      line,
      column: line === span.start.line ? span.start.character : 0,
      hideTo: line === last && !below ? span.end.character : size,
      runs: [...(contents[index] ?? []), ...tail],
    };
  });
}

/** The lines of a frame, and the span that they are drawn over. */
export interface Drawn {
  readonly span: Span;
  readonly frame: readonly FrameLine[];
}

/** A span and a frame as they are drawn: the last line break of whole lines stays where it is. */
export function withoutLastBreak(span: Span, frame: readonly FrameLine[], lines: Lines): Drawn {
  if (span.end.character > 0 || span.end.line === span.start.line) {
    return { span, frame };
  }
  const line = span.end.line - 1;
  const end = { line, character: lines.lineText(line).length };
  const closed = frame.length > 1 && frame[frame.length - 1]?.text === "";
  return { span: { start: span.start, end }, frame: closed ? frame.slice(0, -1) : frame };
}

/** How many lines `frame` needs beyond those of `span`. */
export function missing(span: Span, frame: readonly FrameLine[]): number {
  return Math.max(0, frame.length - (span.end.line - span.start.line + 1));
}

function linesOf(span: Span, wanted: number, room: Room | undefined): number[] {
  const own = span.end.line - span.start.line + 1;
  const places = Array.from({ length: own }, (_, index) => span.start.line + index);
  const extra = room ? Math.min(room.count, Math.max(0, wanted - own)) : 0;
  for (let index = 0; room && index < extra; index += 1) {
    places.push(room.line + index);
  }
  return places;
}

/** `contents` over `count` rows: what is too many is folded into the last row.
 *
 * Where they are too few, blank rows follow; with `joined`, they precede the last row, which has
 * text behind it.
 */
function spread(contents: readonly Run[][], count: number, joined: boolean): Run[][] {
  const spare = count - contents.length;
  if (spare >= 0) {
    const blank = Array.from({ length: spare }, (): Run[] => []);
    const split = joined && contents.length > 1 ? contents.length - 1 : contents.length;
    return [...contents.slice(0, split), ...blank, ...contents.slice(split)];
  }
  const kept = contents.slice(0, count - 1);
  const folded = contents
    .slice(count - 1)
    .flatMap((runs, index) => (index ? [FOLD, ...runs] : runs));
  return [...kept, folded];
}

/** One line of a frame as runs of one look each. */
export function runsOf(line: FrameLine): Run[] {
  const kinds: Kind[] = Array.from({ length: line.text.length }, () => "plain");
  for (const [from, to] of line.weak ?? []) {
    kinds.fill("weak", from, to);
  }
  for (const [from, to] of line.new) {
    kinds.fill("new", from, to);
  }
  for (const [from, to] of line.masks) {
    kinds.fill("mask", from, to);
  }
  const runs: Run[] = [];
  let begin = 0;
  for (let at = 1; at <= kinds.length; at += 1) {
    const kind = kinds[begin];
    if (kind && kinds[at] !== kind) {
      runs.push({ text: line.text.slice(begin, at), kind });
      begin = at;
    }
  }
  return runs;
}
