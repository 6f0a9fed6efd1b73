/** The extension in a real editor, with a language server that follows a script. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { Box } from "./box";
import { GREET, HOLES, REWRITTEN, STATS } from "./files";
import { readPlan } from "./plan";

const plan = readPlan();
const MASK = "▒";
let box: Box;

/** What the server was asked, oldest first. */
function asked(method?: string): { method: string; params: Record<string, unknown> }[] {
  const lines = existsSync(plan.log) ? readFileSync(plan.log, "utf8").trim().split("\n") : [];
  const all = lines.map((line) => JSON.parse(line));
  return method ? all.filter((message) => message.method === method) : all;
}

before(async () => {
  const names = [
    "ghost.py",
    "word.py",
    "live.py",
    "cancel.py",
    "long.py",
    "heat.py",
    "diff.py",
    "pin.py",
  ];
  const files = Object.fromEntries(names.map((name) => [name, STATS]));
  files["crlf.py"] = STATS.replaceAll("\n", "\r\n");
  files["greet.py"] = GREET;
  files["holes.py"] = HOLES;
  files["notes.md"] = "    return \n";
  box = await Box.open({ plan, files });
  await box.status("Ready");
});

after(() => box?.close());

afterEach(async (context) => {
  if ("error" in context && context.error) {
    await box.shot(`/tmp/retouch-${context.name.slice(0, 20).replaceAll(/\W/g, "-")}.png`);
    console.log(box.log());
  }
});

async function live(name: string, first: number, last: number, wish: string): Promise<string[]> {
  await box.show(name);
  await box.selectLines(first, last);
  await box.press("Control+I");
  await box.answer(wish);
  return box.until(
    () => box.rows(),
    (rows) => rows.some((row) => row.includes(MASK)) && rows.some((row) => /\w/.test(row)),
    "a canvas half cleared",
  );
}

async function noRows(): Promise<void> {
  await box.until(
    () => box.rows(),
    (rows) => rows.length === 0,
    "the canvas to go",
  );
}

test("the server is told what we can show, and the settings", () => {
  const [first] = asked("initialize");
  assert.deepEqual(first?.params["retouch"], { denoise: 1, commit: 1 });
  assert.equal((first?.params["options"] as { maxLines: number }).maxLines, 12);
});

test("ghost text is shown and Tab takes it", async () => {
  await box.show("ghost.py");
  await box.at(9, 11);
  await box.page.keyboard.type(" ");
  assert.equal(await box.ghost(), "a + b");
  await box.shot("images/ghost-text.png");
  await box.press("Tab");
  await box.noGhost();
  assert.match(await box.save("ghost.py"), /return a \+ b\n$/);
  await box.until(
    () => asked("retouch.accepted").length,
    (count) => count === 1,
    "the server to know",
  );
});

test("a word of ghost text can be taken, Esc sends the rest away", async () => {
  await box.show("word.py");
  await box.at(9, 11);
  await box.page.keyboard.type(" ");
  await box.ghost();
  await box.press("Control+ArrowRight");
  await box.until(
    () => box.ghost(),
    (text) => text === " + b",
    "the rest",
  );
  await box.press("Escape");
  await box.noGhost();
  assert.match(await box.save("word.py"), /return a\n$/);
});

test("a rewrite is live, never in the document, and one undo step", async () => {
  const rows = await live("live.py", 2, 5, "guard hold");
  assert.equal(rows.length, 4);
  await box.shot("images/live-canvas.png");
  assert.equal(await box.isDirty("live.py"), false);
  await box.press("Control+Enter");
  await noRows();
  assert.equal(await box.save("live.py"), REWRITTEN);
  await box.press("Control+Z");
  assert.equal(await box.save("live.py"), STATS);
});

test("Esc stops a rewrite, and nothing has changed", async () => {
  await live("cancel.py", 2, 5, "guard hold");
  await box.press("Escape");
  await noRows();
  await box.status("Ready");
  assert.equal(await box.isDirty("cancel.py"), false);
  assert.equal(box.read("cancel.py"), STATS);
  assert.equal(asked("retouch/cancel").length, 1);
});

test("a longer text gets blank lines, which Esc takes back and a save never writes", async () => {
  const rows = await live("long.py", 5, 5, "guard hold");
  assert.equal(rows.length, 4);
  await box.press("Escape");
  await noRows();
  await box.until(
    () => box.isDirty("long.py"),
    (dirty) => !dirty,
    "the blank lines to go",
  );
  await live("long.py", 5, 5, "guard hold");
  assert.equal(await box.save("long.py"), STATS);
  await box.press("Control+Enter");
  await noRows();
  const lines = (await box.save("long.py")).split("\n");
  assert.equal(lines.length, STATS.split("\n").length + 3);
  await box.press("Control+Z");
  assert.equal(await box.save("long.py"), STATS);
});

test("a commit with blank lines is one undo step, and typing elsewhere stays", async () => {
  await live("long.py", 5, 5, "guard hold");
  await box.at(1, 1);
  await box.page.keyboard.type("# note");
  await box.press("Enter");
  await box.press("Control+Enter");
  await noRows();
  const text = await box.save("long.py");
  assert.ok(text.startsWith("# note\ndef mean"));
  assert.match(text, /if not values:\n {8}return 0.0\n/);
  await box.press("Control+Z");
  assert.match(
    await box.save("long.py"),
    /^# note\ndef mean[\s\S]*total \+= value\n {4}return total/,
  );
});

test("a file with CRLF keeps it", async () => {
  await live("crlf.py", 2, 5, "guard hold");
  await box.press("Control+Enter");
  await noRows();
  assert.equal(await box.save("crlf.py"), REWRITTEN.replaceAll("\n", "\r\n"));
  await box.press("Control+Z");
  assert.equal(await box.save("crlf.py"), STATS.replaceAll("\n", "\r\n"));
});

test("emoji before a span don't move it", async () => {
  await box.show("greet.py");
  await box.at(2, 21);
  await box.press("Shift+End", "Control+I");
  await box.answer("short");
  await box.until(
    () => asked("retouch/rewrite").length,
    (count) => count > 0,
    "the request",
  );
  await box.status("Ready");
  await noRows();
  const text = await box.save("greet.py");
  assert.equal(
    text,
    'def greet(name):\n    smile = "🙂🙂";     return sum(values) / len(values)\n',
  );
});

test("all holes are filled in one undo step", async () => {
  await box.show("holes.py");
  await box.command("Retouch: Fill All Holes");
  await box.until(
    () => box.rows(),
    (rows) => rows.length === 2,
    "both holes",
  );
  await noRows();
  await box.status("Ready");
  assert.equal(await box.save("holes.py"), "first = filled_0\nsecond = 2\nthird = filled_2\n");
  await box.press("Control+Z");
  assert.equal(await box.save("holes.py"), HOLES);
});

test("a word of the running canvas can be replaced", async () => {
  await live("pin.py", 2, 5, "guard hold");
  await box.press("Control+Alt+I");
  await box.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await box.page.keyboard.type("values");
  await box.press("Enter");
  await box.answer("entries");
  await noRows();
  await box.status("Ready");
  assert.match(await box.save("pin.py"), /if not entries:/);
  const [pin] = asked("retouch/revisePin");
  assert.equal(pin?.params["text"], "entries");
});

test("the heat view colours what the model doubts, until the text changes", async () => {
  await box.show("heat.py");
  await box.command("Retouch: Show or Hide Confidence");
  const coloured = () => box.page.locator(".view-overlays [class*='ced-']").count();
  await box.until(coloured, (count) => count > 0, "colours");
  await box.shot("images/heat-view.png");
  await box.at(1, 1);
  await box.page.keyboard.type("#");
  await box.until(coloured, (count) => count === 0, "no colours");
});

test("diff first: the change is shown as a diff and made after a yes", async () => {
  await box.show("diff.py");
  await box.selectLines(2, 5);
  await box.press("Control+I");
  await box.answer("guard diff");
  await box.page.locator(".monaco-diff-editor").first().waitFor();
  await box.shot("/tmp/retouch-diff.png");
  assert.equal(box.read("diff.py"), STATS);
  await box.command("Retouch: Apply Proposal");
  await box.page.locator(".monaco-diff-editor").first().waitFor({ state: "detached" });
  assert.equal(await box.save("diff.py"), REWRITTEN);
});

test("turning a language off, or all, shows and stops the requests", async () => {
  await box.show("notes.md");
  await box.status("Off for markdown files");
  const before = asked("inlineCompletion").length;
  await box.at(1, 12);
  await box.page.keyboard.type(" ");
  await box.command("Retouch: Turn On or Off for This Language");
  await box.status("Ready");
  assert.equal(asked("inlineCompletion").length, before);
  await box.command("Retouch: Turn On or Off");
  await box.status("Turned off");
  const [...changes] = asked("didChangeConfiguration");
  assert.match(JSON.stringify(changes.at(-1)), /"enable": ?false/);
  await box.command("Retouch: Turn On or Off");
  await box.status("Ready");
});

test("no mask ever reached the document", () => {
  const changes = asked("didChange");
  assert.ok(changes.length > 10);
  assert.doesNotMatch(JSON.stringify(changes), /▒/);
});

test("without Retouch there is one message, with what helps", async () => {
  box.configure({ "retouch.python": "/nowhere/python" });
  const message = box.page.locator(".notification-toast", { hasText: "Retouch was not found" });
  await message.waitFor();
  assert.match((await message.textContent()) ?? "", /there is no such program/);
  await message.getByText("Show Log").waitFor();
  await box.status("No Python with Retouch");
  box.configure({ "retouch.python": plan.python });
  await box.status("Ready");
});
