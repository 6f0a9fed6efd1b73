import assert from "node:assert/strict";
import { test } from "node:test";
import { fake, window } from "./fake/vscode";
import { commitOf, frameOf, settled, span, stage } from "./harness";

const TEXT = "def f():\n    old()\nprint(f())\n";

test("a frame is drawn, and the document stays as it is", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒▒▒"));
  await settled();
  assert.deepEqual(brush.shown(editor), ["▒▒▒▒"]);
  assert.equal(document.getText(), TEXT);
});

test("more lines than the text get blank lines, which never hold a mask", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒", "    ▒"));
  await settled();
  assert.equal(document.getText(), "def f():\n    old()\n\n\nprint(f())\n");
  assert.deepEqual(brush.shown(editor), ["▒▒", "    ▒▒▒", "    ▒"]);
});

test("the commit and the blank lines are one undo step", async () => {
  const { jobs, commits, brush, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  const result = await commits.take(commitOf(document, span(1, 4, 1, 9), "a()\n    b()"));
  assert.deepEqual(result, { applied: true, version: document.version });
  assert.equal(document.getText(), "def f():\n    a()\n    b()\nprint(f())\n");
  assert.deepEqual(brush.shown(editor), []);
  assert.equal(document.undoSteps, 1);
  document.undo();
  assert.equal(document.getText(), TEXT);
});

test("typing elsewhere meanwhile keeps its own undo step", async () => {
  const { jobs, commits, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  fake.type(document, [0, 0, 0, 0], "import os\n");
  const { applied } = await commits.take(commitOf(document, span(2, 4, 2, 9), "a()\n    b()"));
  assert.ok(applied);
  const done = "import os\ndef f():\n    a()\n    b()\nprint(f())\n";
  assert.equal(document.getText(), done);
  document.undo();
  assert.equal(document.getText(), `import os\n${TEXT}`);
});

test("a commit that typing overtakes is made again, and takes the blank lines, no other", async () => {
  const { jobs, commits, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  editor.meanwhile = () => fake.type(document, [0, 0, 0, 0], "import os\nimport re\n");
  const { applied } = await commits.take(commitOf(document, span(1, 4, 1, 9), "a()\n    b()"));
  assert.ok(applied);
  const typed = "import os\nimport re\n";
  assert.equal(document.getText(), `${typed}def f():\n    a()\n    b()\nprint(f())\n`);
  document.undo();
  assert.equal(document.getText(), typed + TEXT);
});

test("a save while a commit is on its way takes nothing of the result", async () => {
  const { jobs, commits, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  let saving: Promise<string> | undefined;
  editor.meanwhile = () => {
    saving = fake.save(document);
  };
  assert.ok((await commits.take(commitOf(document, span(1, 4, 1, 9), "a()\n    b()"))).applied);
  assert.equal(await saving, "def f():\n    a()\n    b()\nprint(f())\n");
});

test("whole lines keep their last line break while they are drawn", async () => {
  const { jobs, commits, brush, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 0, 2, 0), "    ▒▒", "    ▒▒", "    b", ""));
  await settled();
  assert.equal(document.getText(), "def f():\n    old()\n\n\nprint(f())\n");
  assert.deepEqual(brush.shown(editor), ["    ▒▒", "    ▒▒", "    b"]);
  await commits.take(commitOf(document, span(1, 0, 2, 0), "    a\n    b\n"));
  assert.equal(document.getText(), "def f():\n    a\n    b\nprint(f())\n");
  document.undo();
  assert.equal(document.getText(), TEXT);
});

test("cancelling takes the blank lines back in their own undo step, wherever the focus is", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  fake.type(document, [0, 0, 0, 0], "#");
  fake.type(document, [0, 0, 0, 1], "");
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  const [job] = jobs.all;
  assert.ok(job);
  jobs.cancel(job);
  jobs.ended({ jobId: "j", reason: "cancelled" });
  await settled();
  assert.equal(document.getText(), TEXT);
  assert.equal(document.undoSteps, 3);
  assert.ok(!fake.executed.some(({ command }) => command === "undo"));
  assert.deepEqual(brush.shown(editor), []);
});

test("taking the blank lines back is tried again where typing overtakes it", async () => {
  const { jobs, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒", "    ▒"));
  await settled();
  editor.meanwhile = () => fake.type(document, [0, 0, 0, 0], "import os\nimport re\n");
  jobs.ended({ jobId: "j", reason: "cancelled" });
  await settled();
  assert.equal(document.getText(), `import os\nimport re\n${TEXT}`);
});

test("blank lines that the editor does not give up are not saved", async () => {
  const { jobs, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  editor.willing = false;
  jobs.ended({ jobId: "j", reason: "cancelled" });
  await settled();
  assert.equal(await fake.save(document), TEXT);
});

test("a save under an edit that fails takes the blank lines all the same", async () => {
  const { jobs, editor, commits, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  editor.failure = new Error("Overlapping ranges are not allowed!");
  let saving: Promise<string> | undefined;
  editor.meanwhile = () => {
    saving = fake.save(document);
  };
  await assert.rejects(commits.take(commitOf(document, span(1, 4, 1, 9), "a()")), /Overlapping/);
  assert.equal(await saving, TEXT);
});

test("a file that was closed is left as it is on the disk", async () => {
  const { jobs, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  window.visibleTextEditors = [];
  document.isClosed = true;
  const { version } = document;
  jobs.ended({ jobId: "j", reason: "cancelled" });
  await settled();
  assert.equal(document.version, version);
});

test("cancelling after other edits deletes the blank lines and keeps the edits", async () => {
  const { jobs, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒", "    ▒"));
  await settled();
  fake.type(document, [0, 0, 0, 0], "import os\n");
  jobs.ended({ jobId: "j", reason: "conflict" });
  await settled();
  assert.equal(document.getText(), `import os\n${TEXT}`);
});

test("a blank line on which somebody wrote is kept", async () => {
  const { jobs, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒", "    ▒"));
  await settled();
  fake.type(document, [2, 0, 2, 0], "mine");
  jobs.ended({ jobId: "j", reason: "conflict" });
  await settled();
  assert.equal(document.getText(), "def f():\n    old()\nmine\nprint(f())\n");
});

test("a save never writes blank lines to the disk", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  assert.equal(await fake.save(document), TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "a▒", "    ▒▒▒"));
  await settled();
  assert.equal(document.getText(), TEXT);
  assert.deepEqual(brush.shown(editor), ["a▒ ⏎     ▒▒▒"]);
});

test("a commit waits for a save that takes blank lines away, so that none of its text goes", async () => {
  const { jobs, commits, document } = stage(TEXT);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  let proceed = () => undefined as undefined;
  const saving = fake.save(
    document,
    new Promise((resolve) => {
      proceed = () => resolve() as undefined;
    }),
  );
  const taking = commits.take(commitOf(document, span(1, 4, 1, 9), "a()\n    b()"));
  await settled();
  proceed();
  assert.equal(await saving, TEXT);
  assert.ok((await taking).applied);
  assert.equal(document.getText(), "def f():\n    a()\n    b()\nprint(f())\n");
});

test("with auto save on there are no blank lines; the frame is folded", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  fake.settings.set("files.autoSave", "afterDelay");
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  assert.equal(document.getText(), TEXT);
  assert.deepEqual(brush.shown(editor), ["▒▒ ⏎     ▒▒▒"]);
});

test("at the end of a file without a last line break the frame is folded", async () => {
  const { jobs, brush, editor, document } = stage("def f():\n    ");
  jobs.frame(frameOf(document, span(1, 4, 1, 4), "▒▒", "    ▒▒▒"));
  await settled();
  assert.deepEqual(brush.shown(editor), ["▒▒ ⏎     ▒▒▒"]);
});

test("a frame of an older version is drawn where its span is now", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  const frame = frameOf(document, span(1, 4, 1, 9), "▒▒▒▒");
  fake.type(document, [0, 0, 0, 0], "import os\n");
  jobs.frame(frame);
  await settled();
  assert.equal(brush.rows.get(editor)?.[0]?.line, 2);
});

test("a frame whose span was edited is not drawn", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  const frame = frameOf(document, span(1, 4, 1, 9), "▒▒▒▒");
  fake.type(document, [1, 6, 1, 6], "x");
  jobs.frame(frame);
  await settled();
  assert.deepEqual(brush.shown(editor), []);
});

test("frames that come late, twice or after the end are ignored", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  const [first, second] = ["a", "b"].map((text) => frameOf(document, span(1, 4, 1, 9), text));
  assert.ok(first && second);
  jobs.frame(second);
  jobs.frame(first);
  assert.deepEqual(brush.shown(editor), ["b"]);
  jobs.ended({ jobId: "j", reason: "done" });
  jobs.frame({ ...second, seq: second.seq + 10 });
  assert.deepEqual(brush.shown(editor), []);
  assert.equal(jobs.all.length, 0);
});

test("in a file with CRLF the blank lines and the commit have CRLF", async () => {
  const text = "def f():\r\n    old()\r\nprint(f())\r\n";
  const { jobs, commits, document } = stage(text);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒", "    ▒▒▒"));
  await settled();
  assert.equal(document.getText(), "def f():\r\n    old()\r\n\r\nprint(f())\r\n");
  await commits.take(commitOf(document, span(1, 4, 1, 9), "a()\n    b()"));
  assert.equal(document.getText(), "def f():\r\n    a()\r\n    b()\r\nprint(f())\r\n");
  document.undo();
  assert.equal(document.getText(), text);
});

test("an editor that refuses lines is asked once, and the frame is folded", async () => {
  const { jobs, brush, editor, document } = stage(TEXT);
  editor.willing = false;
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒", "▒"));
  await settled();
  editor.willing = true;
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒", "a"));
  await settled();
  assert.equal(document.getText(), TEXT);
  assert.deepEqual(brush.shown(editor), ["▒ ⏎ a"]);
});

test("two holes of one job have their own lines", async () => {
  const { jobs, document } = stage("a = ...\nb = ...\nc\n");
  const first = frameOf(document, span(0, 4, 0, 7), "▒", "▒");
  jobs.frame(first);
  await settled();
  jobs.frame({ ...frameOf(document, span(2, 4, 2, 7), "▒", "▒", "▒"), hole: 1 });
  await settled();
  assert.equal(document.getText(), "a = ...\n\nb = ...\n\n\nc\n");
  jobs.ended({ jobId: "j", reason: "cancelled" });
  await settled();
  assert.equal(document.getText(), "a = ...\nb = ...\nc\n");
});
