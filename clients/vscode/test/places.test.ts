import assert from "node:assert/strict";
import { test } from "node:test";
import type { Span } from "../src/protocol";
import { applied } from "../src/text/applied";
import { History } from "../src/text/history";
import { type Change, grown, shifted } from "../src/text/places";

function span(a: number, b: number, c: number, d: number): Span {
  return { start: { line: a, character: b }, end: { line: c, character: d } };
}

function change(where: [number, number, number, number], text: string): Change {
  return { range: span(...where), text };
}

test("an edit behind a span leaves it", () => {
  assert.deepEqual(shifted(span(1, 2, 1, 5), change([1, 5, 1, 5], "x")), span(1, 2, 1, 5));
});

test("an edit before a span on its line moves its columns", () => {
  assert.deepEqual(shifted(span(1, 4, 1, 8), change([1, 0, 1, 2], "")), span(1, 2, 1, 6));
  assert.deepEqual(shifted(span(1, 4, 2, 8), change([1, 0, 1, 0], "ab")), span(1, 6, 2, 8));
});

test("lines put before a span move its lines, and split its first", () => {
  assert.deepEqual(shifted(span(3, 4, 4, 2), change([0, 0, 0, 0], "\r\n\n")), span(5, 4, 6, 2));
  assert.deepEqual(shifted(span(3, 4, 3, 6), change([3, 2, 3, 3], "x\nab")), span(4, 3, 4, 5));
});

test("an edit inside a span, or over its edge, is a conflict", () => {
  assert.equal(shifted(span(1, 2, 1, 5), change([1, 3, 1, 3], "x")), undefined);
  assert.equal(shifted(span(1, 2, 1, 5), change([1, 4, 2, 0], "")), undefined);
  assert.equal(shifted(span(1, 2, 1, 5), change([0, 0, 9, 0], "")), undefined);
});

test("typing at an empty span is a conflict, behind it is not", () => {
  assert.equal(shifted(span(1, 2, 1, 2), change([1, 2, 1, 2], "x")), undefined);
  assert.deepEqual(shifted(span(1, 2, 1, 2), change([2, 0, 2, 0], "\n")), span(1, 2, 1, 2));
});

test("a region grows by what is written into it and shrinks by what is deleted", () => {
  assert.deepEqual(grown(span(4, 0, 7, 0), change([5, 0, 5, 0], "a\n")), span(4, 0, 8, 0));
  assert.deepEqual(grown(span(4, 0, 7, 0), change([4, 0, 7, 0], "")), span(4, 0, 4, 0));
  assert.deepEqual(grown(span(4, 0, 7, 0), change([1, 0, 2, 0], "")), span(3, 0, 6, 0));
});

test("a history brings a span of an old version to the newest one", () => {
  const history = new History(1);
  history.record(2, [change([0, 0, 0, 0], "\n")]);
  history.record(3, [change([9, 0, 9, 0], "end")]);
  assert.deepEqual(history.bring(span(1, 0, 1, 4), 1), span(2, 0, 2, 4));
  assert.deepEqual(history.bring(span(1, 0, 1, 4), 2), span(1, 0, 1, 4));
});

test("a history knows neither the future nor what it has forgotten", () => {
  const history = new History(1);
  assert.equal(history.bring(span(0, 0, 0, 0), 2), undefined);
  for (let version = 2; version < 1000; version += 1) {
    history.record(version, [change([9, 0, 9, 0], "x")]);
  }
  assert.equal(history.bring(span(0, 0, 0, 1), 1), undefined);
  assert.deepEqual(history.bring(span(0, 0, 0, 1), 998), span(0, 0, 0, 1));
});

test("edits of a text keep its line ends and each other's places", () => {
  const edits = [
    { range: span(0, 0, 0, 1), newText: "xy\nz" },
    { range: span(1, 1, 1, 2), newText: "" },
  ];
  assert.equal(applied("abc\r\ndef\r\n", edits), "xy\r\nzbc\r\ndf\r\n");
});

/** Shifting a span must find the same text again, whatever was edited outside it. */
test("a shifted span holds the same text after random edits", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  let kept = 0;
  for (let round = 0; round < 3000; round += 1) {
    const lines = Array.from(
      { length: 1 + random(4) },
      (_, at) => `l${at}${"x".repeat(random(4))}`,
    );
    const text = lines.join("\n");
    const place = (offset: number) => {
      const before = text.slice(0, offset).split("\n");
      return { line: before.length - 1, character: (before[before.length - 1] ?? "").length };
    };
    const [a, b, c, d] = [0, 0, 0, 0].map(() => random(text.length + 1)) as [
      number,
      number,
      number,
      number,
    ];
    const held = { start: place(Math.min(a, b)), end: place(Math.max(a, b)) };
    const edit = {
      range: { start: place(Math.min(c, d)), end: place(Math.max(c, d)) },
      text: ["", "q", "\n", "q\nqq\n"][random(4)] ?? "",
    };
    const after = applied(text, [{ range: edit.range, newText: edit.text }]);
    const moved = shifted(held, edit);
    if (moved) {
      kept += 1;
      assert.equal(cut(after, moved), cut(text, held));
    }
  }
  assert.ok(kept > 500);
});

function cut(text: string, { start, end }: Span): string {
  const lines = text.split("\n");
  const offset = (place: Span["start"]) =>
    lines.slice(0, place.line).reduce((sum, line) => sum + line.length + 1, 0) + place.character;
  return text.slice(offset(start), offset(end));
}
