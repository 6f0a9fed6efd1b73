import assert from "node:assert/strict";
import { test } from "node:test";
import { missing, type Row, rowsOf, runsOf } from "../src/canvas/rows";
import type { FrameLine, Span } from "../src/protocol";

const DOCUMENT = ["def mean(values):", "    old()", "    older()", "", "print(mean([1]))"];
const lines = { lineText: (at: number) => DOCUMENT[at] ?? "" };

function frame(...texts: string[]): FrameLine[] {
  return texts.map((text) => ({ text, masks: [], new: [] }));
}

function span(a: number, b: number, c: number, d: number): Span {
  return { start: { line: a, character: b }, end: { line: c, character: d } };
}

function shown(rows: readonly Row[]): [number, string][] {
  return rows.map((row) => [row.line, row.runs.map(({ text }) => text).join("")]);
}

test("as many lines as the span has take their places", () => {
  const rows = rowsOf(span(1, 0, 2, 11), frame("    a", "    b"), lines);
  assert.deepEqual(shown(rows), [
    [1, "    a"],
    [2, "    b"],
  ]);
  assert.deepEqual(
    rows.map(({ column, hideTo }) => [column, hideTo]),
    [
      [0, 9],
      [0, 11],
    ],
  );
});

test("inside a line the text around the span stays", () => {
  const [row] = rowsOf(span(4, 6, 4, 10), frame("median"), lines);
  assert.deepEqual(row && [row.line, row.column, row.hideTo], [4, 6, 10]);
});

test("fewer lines than the span leave blank ones at its end", () => {
  const rows = rowsOf(span(1, 0, 2, 11), frame("    a"), lines);
  assert.deepEqual(shown(rows), [
    [1, "    a"],
    [2, ""],
  ]);
});

test("with text behind the span its last line stays joined to it", () => {
  const rows = rowsOf(span(0, 4, 4, 5), frame("x", "y"), lines);
  assert.deepEqual(shown(rows), [
    [0, "x"],
    [1, ""],
    [2, ""],
    [3, ""],
    [4, "y"],
  ]);
  assert.equal(rows[4]?.hideTo, 5);
});

test("more lines than the span go to the room, and take the rest of the line along", () => {
  const rows = rowsOf(span(4, 6, 4, 10), frame("a", "b", "c"), lines, { line: 5, count: 2 });
  assert.deepEqual(shown(rows), [
    [4, "a"],
    [5, "b"],
    [6, "c([1]))"],
  ]);
  assert.equal(rows[0]?.hideTo, DOCUMENT[4]?.length);
  assert.equal(rows[2]?.runs.at(-1)?.kind, "rest");
});

test("what has no room is folded into the last row", () => {
  const rows = rowsOf(span(3, 0, 3, 0), frame("a", "b", "c"), lines);
  assert.deepEqual(shown(rows), [[3, "a ⏎ b ⏎ c"]]);
  const partly = rowsOf(span(3, 0, 3, 0), frame("a", "b", "c"), lines, { line: 4, count: 1 });
  assert.deepEqual(shown(partly), [
    [3, "a"],
    [4, "b ⏎ c"],
  ]);
});

test("room that a shorter frame doesn't need is left alone", () => {
  const rows = rowsOf(span(3, 0, 3, 0), frame("a"), lines, { line: 4, count: 2 });
  assert.deepEqual(shown(rows), [[3, "a"]]);
});

test("how many lines are missing", () => {
  assert.equal(missing(span(1, 0, 2, 3), frame("a", "b", "c")), 1);
  assert.equal(missing(span(1, 0, 2, 3), frame("a")), 0);
});

test("a line is cut into runs of one look; masks win over new, new over weak", () => {
  const runs = runsOf({ text: "ab▒▒ cd", masks: [[2, 4]], new: [[0, 3]], weak: [[5, 7, 0.2]] });
  assert.deepEqual(
    runs.map(({ kind, text }) => [kind, text]),
    [
      ["new", "ab"],
      ["mask", "▒▒"],
      ["plain", " "],
      ["weak", "cd"],
    ],
  );
  assert.deepEqual(runsOf({ text: "", masks: [], new: [] }), []);
});

test("columns beyond the text do no harm", () => {
  const runs = runsOf({ text: "ab", masks: [[1, 99]], new: [[-5, 1]] });
  assert.equal(runs.map(({ text }) => text).join(""), "ab");
});
