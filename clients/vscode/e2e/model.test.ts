/** The extension in a real editor, with the real language server, engine and default model. */

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Box } from "./box";
import { readPlan } from "./plan";

const plan = readPlan();
const MASK = "▒";
const SLOW_MS = 120_000;
let box: Box;

const HEAD = 'def add(a, b):\n    """Return the sum of a and b."""\n';
const BODY = "    result = a\n    result = result + b\n    return result\n";
const TAIL = "\n\ndef twice(a):\n    return add(a, a)\n";
const FILE = HEAD + BODY + TAIL;
const EMOJI = 'mood = "🙂🙂"; total = ___  # 🙂 sum\nprint(total)\n';

before(async () => {
  box = await Box.open({
    plan,
    settings: { "retouch.timeoutMs": 30_000, "retouch.policy": "causal" },
    files: {
      "ghost.py": `${HEAD}    return\n`,
      "word.py": `${HEAD}    return\n`,
      "live.py": FILE,
      "cancel.py": FILE,
      "crlf.py": FILE.replaceAll("\n", "\r\n"),
      "emoji.py": EMOJI,
      "heat.py": FILE,
      "buffer.py": FILE,
    },
  });
  await box.status("Ready", SLOW_MS);
});

after(() => box?.close());

afterEach(async (context) => {
  if ("error" in context && context.error) {
    await box.failed(context.name);
    console.log(box.log());
  }
});

/** Types a blank behind `return` and waits for ghost text. */
async function ghostIn(name: string): Promise<string> {
  await box.show(name);
  await box.at(3, 11);
  await box.page.keyboard.type(" ");
  return box.ghost(SLOW_MS);
}

/** Rewrites the body of add and waits until masks are drawn. */
async function live(name: string): Promise<void> {
  await box.show(name);
  await box.selectLines(3, 5);
  await box.press("Control+I");
  await box.answer("return the sum at once");
  await box.until(
    () => box.rows(),
    (rows) => rows.some((row) => row.includes(MASK)),
    "a masked canvas",
    SLOW_MS,
  );
}

/** Waits for a job's text to be in the document, saves, and tells the file. */
async function written(name: string): Promise<string> {
  await box.until(
    () => box.isDirty(name),
    (dirty) => dirty,
    "the text to come",
    SLOW_MS,
  );
  await over();
  await box.press("Control+S");
  await box.until(
    () => box.isDirty(name),
    (dirty) => !dirty,
    "the file to be saved",
  );
  return box.read(name);
}

/** Waits until no job runs and nothing is drawn. */
async function over(): Promise<void> {
  await box.until(
    () => box.rows(),
    (rows) => rows.length === 0,
    "the canvas to go",
    SLOW_MS,
  );
  await box.status("Ready", SLOW_MS);
}

test("ghost text is taken as it is shown", async () => {
  const ghost = await ghostIn("ghost.py");
  assert.ok(ghost.trim().length > 0);
  await box.press("Tab");
  await box.noGhost();
  await box.saved("ghost.py", `${HEAD}    return ${ghost}\n`);
});

test("a word of ghost text is taken, the rest sent away", async () => {
  const ghost = await ghostIn("word.py");
  await box.press("Control+ArrowRight", "Escape");
  await box.noGhost();
  const text = await box.saved("word.py", /return \S/);
  const taken = text.slice(`${HEAD}    return `.length, -1);
  assert.ok(ghost.startsWith(taken), `${ghost} does not begin with ${taken}`);
});

test("a rewrite is drawn live, changes only its lines, and is one undo step", async () => {
  await live("live.py");
  const text = await written("live.py");
  assert.ok(text.startsWith(HEAD) && text.endsWith(TAIL), text);
  assert.doesNotMatch(text, /▒/);
  await box.press("Control+Z");
  await box.saved("live.py", FILE);
});

test("Esc stops a rewrite, and nothing has changed", async () => {
  await live("cancel.py");
  await box.press("Escape");
  await over();
  await box.until(
    () => box.lines(),
    (count) => count === FILE.split("\n").length,
    "no line but the file's own",
  );
  await box.saved("cancel.py", FILE);
});

test("a file with CRLF keeps it", async () => {
  await live("crlf.py");
  const text = await written("crlf.py");
  assert.doesNotMatch(text, /[^\r]\n|\r[^\n]/);
  assert.ok(text.startsWith(HEAD.replaceAll("\n", "\r\n")));
  assert.ok(text.endsWith(TAIL.replaceAll("\n", "\r\n")));
});

test("a hole between emoji is filled where it is", async () => {
  await box.show("emoji.py");
  await box.command("Retouch: Fill All Holes");
  const text = await written("emoji.py");
  const [before, behind] = EMOJI.split("___") as [string, string];
  assert.ok(text.startsWith(before) && text.endsWith(behind), text);
  await box.press("Control+Z");
  await box.saved("emoji.py", EMOJI);
});

test("the heat view colours words that the model doubts", async () => {
  await box.show("heat.py");
  await box.command("Retouch: Show or Hide Confidence (Heat View)");
  await box.until(
    () => box.page.locator(".view-overlays [class*='ced-']").count(),
    (count) => count > 0,
    "colours",
    SLOW_MS,
  );
});

test("written into the document while it forms, a rewrite is one undo step as well", async () => {
  box.configure({ "retouch.python": plan.python, "retouch.live": "buffer" });
  await box.show("buffer.py");
  await box.selectLines(3, 5);
  await box.press("Control+I");
  await box.answer("return the sum at once");
  const text = await written("buffer.py");
  assert.ok(text.startsWith(HEAD) && text.endsWith(TAIL), text);
  await box.press("Control+Z");
  await box.saved("buffer.py", FILE);
});
