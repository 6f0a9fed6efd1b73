/** The extension in a real editor, with a language server that follows a script. */

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { HOLES, REWRITTEN, STATS } from "./files";
import { asked, box, live, noRows, open, plan } from "./scripted";

/** How much of the window the pictures show, in pixels from the top. */
const PICTURE = 330;

before(open);

after(() => box?.close());

afterEach(async (context) => {
  if ("error" in context && context.error) {
    await box.failed(context.name);
    console.log(box.log());
  }
});

test("the server is told what we can show, and the settings", () => {
  const [first] = asked("initialize");
  assert.deepEqual(first?.params["retouch"], { denoise: 1, commit: 1 });
  assert.match(JSON.stringify(first?.params["options"]), /"maxLines":12/);
});

test("pictures for the README", async () => {
  await box.press("Control+B");
  await box.show("stats.py");
  await box.at(11, 11);
  await box.page.keyboard.type(" ");
  await box.ghost();
  await box.shot("images/ghost-text.png", PICTURE);
  await box.press("Escape");
  await box.noGhost();
  await live("stats.py", 4, 7, "guard hold");
  await box.status("Writing, step 4 of 8");
  await box.shot("images/live-canvas.png", PICTURE);
  await box.press("Escape");
  await noRows();
  await box.at(8, 1);
  await box.command("Retouch: Show or Hide Confidence (Heat View)");
  await box.page.locator(".view-line span", { hasText: /^len$/ }).first().hover();
  await box.page.getByText("confidence 20 %").waitFor();
  await box.shot("images/heat-view.png", PICTURE);
  await box.page.mouse.move(5, 5);
  await box.saved("stats.py", /return $/m);
  await box.selectLines(4, 7);
  await box.press("Control+I");
  await box.answer("guard diff");
  await box.page.locator(".monaco-diff-editor .view-line").first().waitFor();
  await box.page.getByText("apply this change").last().waitFor();
  await box.page.waitForTimeout(800);
  await box.shot("images/diff-first.png");
  await box.command("Retouch: Discard Proposal");
});

test("ghost text is shown and Tab takes it", async () => {
  await box.show("ghost.py");
  await box.at(9, 11);
  await box.page.keyboard.type(" ");
  assert.equal(await box.ghost(), "a + b");
  await box.press("Tab");
  await box.noGhost();
  await box.saved("ghost.py", /return a \+ b\n$/);
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
  await box.saved("word.py", /return a\n$/);
});

test("a rewrite is live, never in the document, and one undo step", async () => {
  const rows = await live("live.py", 2, 5, "guard hold");
  assert.equal(rows.length, 4);
  assert.equal(await box.isDirty("live.py"), false);
  await box.press("Control+Enter");
  await noRows();
  await box.saved("live.py", REWRITTEN);
  await box.press("Control+Z");
  await box.saved("live.py", STATS);
});

test("Esc stops a rewrite, and nothing has changed", async () => {
  const before = asked("retouch/cancel").length;
  await live("cancel.py", 2, 5, "guard hold");
  await box.press("Escape");
  await noRows();
  await box.status("Ready");
  assert.equal(await box.isDirty("cancel.py"), false);
  assert.equal(box.read("cancel.py"), STATS);
  assert.equal(asked("retouch/cancel").length, before + 1);
});

test("a longer text gets blank lines, which Esc takes back and a save never writes", async () => {
  const all = STATS.split("\n").length;
  const rows = await live("long.py", 5, 5, "guard hold");
  assert.equal(rows.length, 4);
  await box.until(
    () => box.lines(),
    (count) => count > all,
    "blank lines",
  );
  await box.press("Escape");
  await noRows();
  await box.until(
    () => box.lines(),
    (count) => count === all,
    "the blank lines to go",
  );
  await live("long.py", 5, 5, "guard hold");
  await box.saved("long.py", STATS);
  await box.press("Control+Enter");
  await noRows();
  await box.saved("long.py", /total \+= value\n {4}if not values:(\n.*){3}values\)\n\n\ndef add/);
  await box.press("Control+Z");
  await box.saved("long.py", STATS);
});

test("a commit with blank lines is one undo step, and typing elsewhere stays", async () => {
  await live("long.py", 5, 5, "guard hold");
  await box.at(1, 1);
  await box.page.keyboard.type("# note");
  await box.press("Enter");
  await box.press("Control+Enter");
  await noRows();
  await box.saved("long.py", /^# note\ndef mean[\s\S]*if not values:\n {8}return 0.0\n/);
  await box.press("Control+Z");
  await box.saved("long.py", `# note\n${STATS}`);
});

test("a file with CRLF keeps it", async () => {
  await live("crlf.py", 2, 5, "guard hold");
  await box.press("Control+Enter");
  await noRows();
  await box.saved("crlf.py", REWRITTEN.replaceAll("\n", "\r\n"));
  await box.press("Control+Z");
  await box.saved("crlf.py", STATS.replaceAll("\n", "\r\n"));
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
  const written = '    smile = "🙂🙂";     return sum(values) / len(values)\n';
  await box.saved("greet.py", `def greet(name):\n${written}`);
});

test("a code action of the server runs as our own rewrite", async () => {
  await box.show("action.py");
  await box.selectLines(4, 4);
  await box.press("Control+.");
  await box.page.getByText("Retouch: rewrite selection").first().waitFor();
  await box.press("Enter");
  await box.saved("action.py", /^ {8}TOTAL \+= VALUE$/m);
  await box.press("Control+Z");
  await box.saved("action.py", STATS);
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
  await box.saved("holes.py", "first = filled_0\nsecond = 2\nthird = filled_2\n");
  await box.press("Control+Z");
  await box.saved("holes.py", HOLES);
});

test("a word of the running canvas can be replaced", async () => {
  await live("pin.py", 2, 5, "guard hold");
  await box.press("Control+Alt+I");
  await box.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await box.page.keyboard.type("values");
  await box.press("Enter");
  await box.page.getByText("text that must stand here").waitFor();
  await box.answer("entries");
  await noRows();
  await box.status("Ready");
  await box.saved("pin.py", /if not entries:/);
  const [pin] = asked("retouch/revisePin");
  assert.equal(pin?.params["text"], "entries");
});

test("the heat view colours what the model doubts, until the text changes", async () => {
  await box.show("heat.py");
  await box.command("Retouch: Show or Hide Confidence (Heat View)");
  const coloured = () => box.page.locator(".view-overlays [class*='ced-']").count();
  await box.until(coloured, (count) => count > 0, "colours");
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
  assert.equal(box.read("diff.py"), STATS);
  await box.command("Retouch: Apply Proposal");
  await box.page.locator(".monaco-diff-editor").first().waitFor({ state: "detached" });
  await box.saved("diff.py", REWRITTEN);
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
