import assert from "node:assert/strict";
import { test } from "node:test";
import { CssBrush } from "../src/canvas/brush";
import { pictureOf } from "../src/canvas/css";
import type { Kind, Run } from "../src/canvas/rows";
import { stage } from "./harness";

function run(kind: Kind, text: string): Run {
  return { kind, text };
}

test("each run has its colour from its first to its last column", () => {
  const { text, css } = pictureOf([run("plain", "a = "), run("mask", "▒▒▒")], 0, 4);
  assert.equal(text, "a\u00a0=\u00a0▒▒▒");
  assert.match(css, /var\(--vscode-retouch-text\) 0ch 4ch,var\(--vscode-retouch-mask\) 4ch 7ch/);
});

test("wide characters take two columns, marks none", () => {
  const { css } = pictureOf([run("plain", "🙂é"), run("new", "x")], 0, 4);
  assert.match(css, /0ch 3ch,var\(--vscode-retouch-new\) 3ch 4ch/);
});

test("tabs become blanks up to the next stop, counted from where the row begins", () => {
  assert.equal(
    pictureOf([run("plain", "\ta\tb")], 0, 4).text,
    "\u00a0\u00a0\u00a0\u00a0a\u00a0\u00a0\u00a0b",
  );
  assert.equal(pictureOf([run("plain", "\tb")], 3, 4).text, "\u00a0b");
});

test("nothing can leave the style or the line", () => {
  const { text, css } = pictureOf([run("plain", "');}\n\u202eb\u0000")], 0, 4);
  assert.equal(text, "');}��b�");
  assert.doesNotMatch(css, /[{}]/);
});

test("a long row is cut", () => {
  assert.equal([...pictureOf([run("plain", "🙂".repeat(900))], 0, 4).text].length, 501);
});

test("the brush hides the old text, draws the row before it, and takes both away", () => {
  const { editor } = stage("old text\n");
  const brush = new CssBrush();
  brush.paint(editor as never, []);
  assert.equal(editor.decorations.size, 0);
  brush.paint(editor as never, [{ line: 0, column: 0, hideTo: 8, runs: [run("mask", "▒")] }]);
  const counts = () => [...editor.decorations.values()].map((options) => options.length);
  assert.deepEqual(counts(), [1, 1, 1]);
  brush.paint(editor as never, []);
  assert.deepEqual(counts(), [0, 0, 0]);
});
