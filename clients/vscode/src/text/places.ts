/** Places and spans without an editor: order, shifting by edits. */

import type { Place, Span } from "../protocol";

/** One change of a document: `range` of the old text became `text`. */
export interface Change {
  readonly range: Span;
  readonly text: string;
}

/** Negative, zero or positive as `a` is before, at or after `b`. */
export function order(a: Place, b: Place): number {
  return a.line - b.line || a.character - b.character;
}

export function isEmpty(span: Span): boolean {
  return order(span.start, span.end) === 0;
}

export function contains(span: Span, place: Place): boolean {
  return order(span.start, place) <= 0 && order(place, span.end) <= 0;
}

/** Plain data of an editor's range, which has getters that JSON and comparisons don't see. */
export function spanOf(range: Span): Span {
  return { start: placeOf(range.start), end: placeOf(range.end) };
}

export function placeOf(place: Place): Place {
  return { line: place.line, character: place.character };
}

/** Where `change` leaves a text that it ends before, or undefined if it touched the text's inside.
 *
 * An insertion exactly at an edge is outside; at an empty span it is a conflict.
 */
export function shifted(span: Span, change: Change): Span | undefined {
  if (order(span.end, change.range.start) <= 0 && !(isEmpty(span) && touches(span, change))) {
    return span;
  }
  if (order(change.range.end, span.start) <= 0 && !(isEmpty(span) && touches(span, change))) {
    return { start: moved(span.start, change), end: moved(span.end, change) };
  }
  return undefined;
}

/** `span` after `changes`, grown by what was put into it or at its end. */
export function grown(span: Span, change: Change): Span {
  const start = order(change.range.end, span.start) <= 0 ? moved(span.start, change) : span.start;
  const end = order(change.range.start, span.end) < 0 ? moved(span.end, change) : span.end;
  return { start, end: order(start, end) <= 0 ? end : start };
}

function touches(span: Span, change: Change): boolean {
  return order(change.range.start, span.start) === 0 || order(change.range.end, span.start) === 0;
}

/** A place at or behind the end of `change.range`, in the changed text. A place inside moves to its end. */
function moved(place: Place, change: Change): Place {
  const from = order(place, change.range.end) < 0 ? change.range.end : place;
  const added = change.text.split(/\r\n|\r|\n/);
  const last = added[added.length - 1] ?? "";
  const line = from.line - change.range.end.line + change.range.start.line + added.length - 1;
  if (from.line !== change.range.end.line) {
    return { line, character: from.character };
  }
  const base = added.length === 1 ? change.range.start.character : 0;
  return { line, character: base + last.length + from.character - change.range.end.character };
}
