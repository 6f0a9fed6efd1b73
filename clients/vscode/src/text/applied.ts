/** A text with edits made, without an editor. */

import type { Edit, Place } from "../protocol";
import { order } from "./places";

/** `edits` must not overlap. Line breaks of the new text become those of `text`. */
export function applied(text: string, edits: readonly Edit[]): string {
  const starts = lineStarts(text);
  const offset = ({ line, character }: Place): number => (starts[line] ?? text.length) + character;
  const eol = /\r\n/.test(text) ? "\r\n" : "\n";
  let result = text;
  for (const { range, newText } of [...edits].sort((a, b) => order(b.range.start, a.range.start))) {
    const inserted = newText.replace(/\r\n|\r|\n/g, eol);
    result = result.slice(0, offset(range.start)) + inserted + result.slice(offset(range.end));
  }
  return result;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    starts.push(match.index + match[0].length);
  }
  return starts;
}
