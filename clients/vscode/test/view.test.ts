import assert from "node:assert/strict";
import { test } from "node:test";
import { byLevel, levelOf, told } from "../src/heat/levels";
import { wordsOf } from "../src/live/words";
import type { Frame, HeatToken, Status } from "../src/protocol";
import { type Facts, viewOf } from "../src/view/status";
import { span } from "./harness";

const READY: Facts = {
  phase: "running",
  server: undefined,
  enabled: true,
  here: { language: "python", on: true },
  progress: undefined,
};

function status(state: Status["state"], more: Partial<Status> = {}): Status {
  return { state, message: "", jobs: 0, ...more };
}

test("the status bar tells idle, working, offline and starting", () => {
  assert.equal(viewOf(READY).text, "$(sparkle) Retouch");
  const working = { ...READY, server: status("working", { step: 3, steps: 12 }) };
  assert.equal(viewOf(working).text, "$(loading~spin) Retouch step 3 of 12");
  assert.equal(viewOf({ ...READY, server: status("working") }).text, "$(loading~spin) Retouch");
  const open = { ...READY, progress: { step: 3, steps: null } };
  assert.equal(viewOf(open).text, "$(loading~spin) Retouch step 3");
  const offline = viewOf({ ...READY, server: status("offline", { message: "no engine" }) });
  assert.deepEqual(offline, {
    text: "$(debug-disconnect) Retouch",
    tooltip: "Retouch: no engine",
    alarm: true,
  });
  assert.match(viewOf({ ...READY, server: status("starting") }).tooltip, /loading/);
});

test("the status bar tells where Retouch is off", () => {
  assert.equal(viewOf({ ...READY, enabled: false }).tooltip, "Retouch: Turned off");
  const markdown = { ...READY, here: { language: "markdown", on: false } };
  assert.equal(viewOf(markdown).tooltip, "Retouch: Off for markdown files");
  const ignored = { ...READY, server: status("disabled", { message: "Ignored: .env" }) };
  assert.equal(viewOf(ignored).tooltip, "Retouch: Ignored: .env");
});

test("a server that doesn't run comes before everything else", () => {
  for (const phase of ["missing", "failed", "stopped"] as const) {
    assert.equal(viewOf({ ...READY, phase, enabled: false }).alarm, true);
  }
  assert.equal(viewOf({ ...READY, phase: "starting" }).alarm, false);
});

test("confidence falls into levels, and what is not a number is most doubtful", () => {
  assert.deepEqual([0.95, 0.9, 0.89, 0.59, 0.29, Number.NaN].map(levelOf), [0, 0, 1, 2, 3, 3]);
  const tokens = [0.95, 0.1, 0.7].map(
    (confidence): HeatToken => ({ range: span(0, 0, 0, 1), confidence }),
  );
  assert.deepEqual(
    byLevel(tokens).map((level) => level.map(({ confidence }) => confidence)),
    [[0.7], [], [0.1]],
  );
});

test("a token's hover tells confidence, alternative and reason", () => {
  const token = { range: span(0, 0, 0, 1), confidence: 0.456, best: 'a"b', why: "kept" };
  assert.equal(told(token), 'Retouch: confidence 46 % · rather "a\\"b" · kept');
});

test("words have their place in the joined text, in UTF-16 units, and their look", () => {
  const frame: Frame = {
    jobId: "j",
    seq: 1,
    step: 1,
    steps: null,
    uri: "file:///a",
    version: 1,
    hole: 2,
    range: span(0, 0, 0, 0),
    lines: [
      { text: "a🙂 = ▒▒", masks: [[6, 8]], new: [] },
      { text: "  naïve()", masks: [], new: [[7, 9]], weak: [[2, 7, 0.25]] },
    ],
    done: false,
  };
  const joined = frame.lines.map(({ text }) => text).join("\n");
  const words = wordsOf(frame);
  for (const word of words) {
    assert.equal(joined.slice(word.start, word.stop), word.text);
    assert.equal(word.hole, 2);
  }
  assert.deepEqual(
    words.map(({ text, look }) => [text, look]),
    [
      ["a", "plain"],
      ["🙂", "plain"],
      ["=", "plain"],
      ["▒▒", "masked"],
      ["naïve", "weak"],
      ["()", "new"],
    ],
  );
  assert.equal(words[4]?.confidence, 0.25);
});
