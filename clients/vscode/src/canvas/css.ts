/** A row's text and the style that colours each of its runs. No editor here.
 *
 * The editor draws one attachment per place and in one colour, so the colours come from a gradient
 * that shines through the letters. Its stops are in `ch`, the width of a character of the editor's
 * fixed-width font; in another font the colours drift, the text does not.
 */

import type { Kind, Run } from "./rows";

const MOST_CHARACTERS = 500;
const WIDE =
  /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;
const UNSEEN = /^(?:\p{M}|\u200d)$/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const COLORS: Readonly<Record<Kind, string>> = {
  plain: "retouch-text",
  mask: "retouch-mask",
  new: "retouch-new",
  weak: "retouch-weak",
  rest: "editor-foreground",
};

export interface Picture {
  readonly text: string;
  readonly css: string;
}

/** Tabs become blanks up to the next stop, counted from `column`; nothing invisible is left. */
export function pictureOf(runs: readonly Run[], column: number, tabSize: number): Picture {
  const stops: string[] = [];
  let text = "";
  let width = 0;
  for (const run of runs) {
    const shown = visible(run.text, column + width, tabSize);
    const before = width;
    width += widthOf(shown);
    text += shown;
    stops.push(`var(--vscode-${COLORS[run.kind]}) ${before}ch ${width}ch`);
  }
  return { text: shortened(text), css: gradient(stops) };
}

function gradient(stops: readonly string[]): string {
  const image = `linear-gradient(90deg,${stops.join(",")})`;
  const clip = "-webkit-background-clip:text;background-clip:text;color:transparent";
  return stops.length > 0 ? `none;background-image:${image};${clip}` : "none";
}

/** Blanks that aren't folded, and signs for what would not be seen or would turn the line around. */
function visible(text: string, column: number, tabSize: number): string {
  let shown = "";
  for (const char of text) {
    const at = column + shown.length;
    shown += char === "\t" ? " ".repeat(tabSize - (at % tabSize)) : char;
  }
  return shown.replace(CONTROL, "�").replaceAll(" ", "\u00a0");
}

function widthOf(text: string): number {
  let width = 0;
  for (const char of text) {
    width += UNSEEN.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  }
  return width;
}

function shortened(text: string): string {
  const chars = [...text];
  return chars.length > MOST_CHARACTERS ? `${chars.slice(0, MOST_CHARACTERS).join("")}…` : text;
}
