/** The words of a frame, as pieces that a person can lock, throw back or replace. */

import type { Frame, FrameLine } from "../protocol";

export type Look = "masked" | "new" | "weak" | "plain";

/** `start` and `stop` are units into the text of the frame `seq`, its lines joined by "\n". */
export interface Word {
  readonly hole: number;
  readonly seq: number;
  readonly start: number;
  readonly stop: number;
  readonly text: string;
  readonly line: number;
  readonly look: Look;
  /** Only of weak words. */
  readonly confidence?: number;
}

const WORD = /▒+|[\p{L}\p{M}\p{N}_]+|[^\s▒\p{L}\p{M}\p{N}_]+/gu;

export function wordsOf(frame: Frame): Word[] {
  const words: Word[] = [];
  let base = 0;
  for (const [line, content] of frame.lines.entries()) {
    for (const match of content.text.matchAll(WORD)) {
      const stop = match.index + match[0].length;
      const look = lookOf(content, match.index, stop);
      const { hole, seq } = frame;
      const place = { hole, seq, start: base + match.index, stop: base + stop };
      words.push({ ...place, text: match[0], line, ...look });
    }
    base += content.text.length + 1;
  }
  return words;
}

/** A word in a newer frame; undefined if it is gone, or which one it is can't be told. */
export function foundAgain(word: Word, frame: Frame): Word | undefined {
  const same = wordsOf(frame).filter(({ text }) => text === word.text);
  const there = same.find(({ start }) => start === word.start);
  return there ?? (same.length === 1 && word.look !== "masked" ? same[0] : undefined);
}

function lookOf(line: FrameLine, start: number, stop: number): Pick<Word, "look" | "confidence"> {
  const meets = ([from, to]: readonly [number, number, ...unknown[]]): boolean =>
    from < stop && start < to;
  const weak = line.weak?.find(meets);
  if (line.masks.some(meets)) {
    return { look: "masked" };
  }
  if (weak) {
    return { look: "weak", confidence: weak[2] };
  }
  return { look: line.new.some(meets) ? "new" : "plain" };
}
