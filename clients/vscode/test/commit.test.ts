import assert from "node:assert/strict";
import { test } from "node:test";
import { SCHEME } from "../src/edits/proposals";
import { stream } from "../src/edits/stream";
import type { Job } from "../src/jobs/book";
import { fake, TabInputTextDiff, Uri, window } from "./fake/vscode";
import { commitOf, frameOf, settled, span, stage } from "./harness";

const TEXT = "def f():\n    old()\nprint(f())\n";
const OLD = span(1, 4, 1, 9);

test("a commit is one undo step", async () => {
  const { commits, document } = stage(TEXT);
  const result = await commits.take(commitOf(document, OLD, "new()"));
  assert.deepEqual(result, { applied: true, version: 2 });
  document.undo();
  assert.equal(document.getText(), TEXT);
});

test("a commit for an older version is made where its text is now", async () => {
  const { commits, document } = stage(TEXT);
  const params = commitOf(document, OLD, "new()");
  fake.type(document, [0, 0, 0, 0], "import os\n");
  assert.equal((await commits.take(params)).applied, true);
  assert.equal(document.getText(), "import os\ndef f():\n    new()\nprint(f())\n");
});

test("a commit whose text was edited meanwhile is refused, and nothing is lost", async () => {
  const { commits, document } = stage(TEXT);
  const params = commitOf(document, OLD, "new()");
  fake.type(document, [1, 6, 1, 6], "der");
  assert.deepEqual(await commits.take(params), { applied: false, reason: "conflict" });
  assert.equal(document.getText(), "def f():\n    olderd()\nprint(f())\n");
});

test("a commit for a version that isn't here yet is refused", async () => {
  const { commits, document } = stage(TEXT);
  const params = { ...commitOf(document, OLD, "new()"), version: 9 };
  assert.deepEqual(await commits.take(params), { applied: false, reason: "conflict" });
});

test("the text that the job was asked to change must still stand", async () => {
  const { jobs, commits, document } = stage(TEXT);
  jobs.started("j", document.uri.toString(), {
    version: 1,
    spans: [{ range: OLD, text: "old()" }],
  });
  fake.type(document, [1, 4, 1, 9], "own()");
  const params = commitOf(document, OLD, "new()");
  assert.deepEqual(await commits.take(params), { applied: false, reason: "conflict" });
  assert.equal(document.getText(), "def f():\n    own()\nprint(f())\n");
});

test("all edits of a commit are made, or none", async () => {
  const { commits, document } = stage("a = ...\nb = ...\n");
  const params = commitOf(document, span(0, 4, 0, 7), "1");
  const both = { ...params, edits: [...params.edits, { range: span(1, 4, 1, 7), newText: "2" }] };
  fake.type(document, [1, 5, 1, 5], "x");
  assert.equal((await commits.take(both)).applied, false);
  assert.equal(document.getText(), "a = ...\nb = .x..\n");
});

test("a commit for a file that was closed is refused", async () => {
  const { commits, document } = stage(TEXT);
  const params = { ...commitOf(document, OLD, "new()"), uri: "file:///w/other.py" };
  assert.deepEqual(await commits.take(params), { applied: false, reason: "closed" });
});

test("a cancelled job commits nothing", async () => {
  const { jobs, commits, document } = stage(TEXT);
  jobs.frame(frameOf(document, OLD, "▒▒"));
  const [job] = jobs.all;
  assert.ok(job);
  jobs.cancel(job);
  const result = await commits.take(commitOf(document, OLD, "new()"));
  assert.deepEqual(result, { applied: false, reason: "cancelled" });
});

test("an editor that refuses every edit gets none", async () => {
  const { jobs, commits, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, OLD, "▒", "▒"));
  await settled();
  editor.willing = false;
  const taking = commits.take(commitOf(document, OLD, "new()\nb"));
  await settled();
  assert.deepEqual(await taking, { applied: false, reason: "refused" });
});

test("an editor that is closed under the edit rejects it, and the file is changed without it", async () => {
  const { commits, editor, document } = stage(TEXT);
  editor.failure = new Error("TextEditor#edit not possible on closed editors");
  editor.meanwhile = () => {
    window.visibleTextEditors = [];
  };
  assert.equal((await commits.take(commitOf(document, OLD, "new()"))).applied, true);
  assert.equal(document.getText(), "def f():\n    new()\nprint(f())\n");
});

test("an editor that is closed under the blank lines loses no result", async () => {
  const { jobs, commits, editor, document } = stage(TEXT);
  editor.failure = new Error("TextEditor#edit not possible on closed editors");
  editor.meanwhile = () => {
    window.visibleTextEditors = [];
  };
  jobs.frame(frameOf(document, OLD, "▒", "▒"));
  assert.equal((await commits.take(commitOf(document, OLD, "new()"))).applied, true);
  assert.equal(document.getText(), "def f():\n    new()\nprint(f())\n");
});

test("what else goes wrong with an edit is told, and the next one is made", async () => {
  const { jobs, commits, editor, document } = stage(TEXT);
  jobs.frame(frameOf(document, OLD, "▒", "▒"));
  await settled();
  editor.failure = new Error("Overlapping ranges are not allowed!");
  await assert.rejects(commits.take(commitOf(document, OLD, "new()\nb")), /Overlapping/);
  editor.failure = undefined;
  assert.equal((await commits.take(commitOf(document, OLD, "new()\nb"))).applied, true);
  assert.equal(document.getText(), "def f():\n    new()\nb\nprint(f())\n");
});

test("a file that no editor shows is changed as well", async () => {
  const { commits, document } = stage(TEXT);
  window.visibleTextEditors = [];
  assert.equal((await commits.take(commitOf(document, OLD, "new()"))).applied, true);
  assert.equal(document.getText(), "def f():\n    new()\nprint(f())\n");
});

test("diff first: the change is shown, and made after a yes", async () => {
  const { commits, proposals, document } = stage(TEXT);
  const taking = commits.take({ ...commitOf(document, OLD, "new()"), diffFirst: true });
  await settled();
  assert.equal(document.getText(), TEXT);
  const diff = fake.executed.find(({ command }) => command === "vscode.diff");
  const right = diff?.args[1] as Uri;
  assert.equal(right.scheme, SCHEME);
  const shown = fake.providers.get(SCHEME)?.provideTextDocumentContent(right);
  assert.equal(shown, "def f():\n    new()\nprint(f())\n");
  assert.equal(fake.contexts.get("retouch.proposalOpen"), true);
  proposals.answer(true);
  assert.equal((await taking).applied, true);
  assert.equal(document.getText(), "def f():\n    new()\nprint(f())\n");
  assert.equal(fake.contexts.get("retouch.proposalOpen"), false);
});

test("diff first: a no, closing the diff, a cancel, or the job's end change nothing", async () => {
  const { jobs, commits, proposals, document } = stage(TEXT);
  const uri = document.uri.toString();
  const refusals = [
    () => proposals.answer(false),
    () => jobs.ended({ jobId: "j", reason: "cancelled" }),
    () => jobs.cancel(jobs.get("k") as Job),
    () => {
      const right = Uri.from({ scheme: SCHEME, path: document.uri.path, query: "l" });
      fake.closeTab(new TabInputTextDiff(document.uri, right));
    },
  ];
  for (const [at, refuse] of refusals.entries()) {
    const jobId = ["i", "j", "k", "l"][at] as string;
    jobs.started(jobId, uri);
    const taking = commits.take({ ...commitOf(document, OLD, "new()"), jobId, diffFirst: true });
    await settled();
    assert.equal(fake.contexts.get("retouch.proposalOpen"), true);
    refuse();
    assert.deepEqual(await taking, { applied: false, reason: "rejected" });
    assert.equal(fake.contexts.get("retouch.proposalOpen"), false);
  }
  assert.equal(document.getText(), TEXT);
});

test("diff first: a yes after an edit of the text is a conflict", async () => {
  const { commits, proposals, document } = stage(TEXT);
  const taking = commits.take({ ...commitOf(document, OLD, "new()"), diffFirst: true });
  await settled();
  fake.type(document, [1, 6, 1, 6], "x");
  proposals.answer(true);
  assert.deepEqual(await taking, { applied: false, reason: "conflict" });
});

test("diff first: what can't be shown is no refusal of the user's", async () => {
  const { jobs, commits, document } = stage(TEXT);
  const params = { ...commitOf(document, OLD, "new()"), diffFirst: true };
  jobs.started("j", document.uri.toString());
  const taking = commits.take(params);
  jobs.cancel(jobs.get("j") as Job);
  assert.deepEqual(await taking, { applied: false, reason: "cancelled" });
  fake.type(document, [1, 6, 1, 6], "x");
  const late = await commits.take({ ...params, jobId: "k" });
  assert.deepEqual(late, { applied: false, reason: "conflict" });
  assert.equal(fake.contexts.get("retouch.proposalOpen"), undefined);
});

test("confirm asks as well", async () => {
  const { commits, proposals, document } = stage(TEXT);
  const taking = commits.take({ ...commitOf(document, OLD, "new()"), confirm: true });
  await settled();
  proposals.answer(false);
  assert.equal((await taking).applied, false);
});

test("edits that stream into the document are one undo step with the commit", async () => {
  const { jobs, commits, document } = stage(TEXT);
  jobs.started("j", document.uri.toString(), {
    version: 1,
    spans: [{ range: OLD, text: "old()" }],
  });
  const uri = document.uri.toString();
  await stream({ uri, version: 1, edits: [{ range: OLD, newText: "n()" }] }, jobs);
  await stream({ uri, version: 2, edits: [{ range: span(1, 4, 1, 7), newText: "ne()" }] }, jobs);
  assert.equal(await stream({ uri, version: 2, edits: [] }, jobs), false);
  await commits.take(commitOf(document, span(1, 4, 1, 8), "new()"));
  assert.equal(document.getText(), "def f():\n    new()\nprint(f())\n");
  document.undo();
  assert.equal(document.getText(), TEXT);
});

test("a job that is cancelled while it streams takes back what it wrote, in the same step", async () => {
  const { jobs, document } = stage(TEXT);
  const uri = document.uri.toString();
  jobs.started("j", uri);
  await stream({ uri, version: 1, edits: [{ range: OLD, newText: "n()" }] }, jobs);
  const [job] = jobs.all;
  assert.ok(job);
  jobs.cancel(job);
  await stream({ uri, version: 2, edits: [{ range: span(1, 4, 1, 7), newText: "old()" }] }, jobs);
  assert.equal(document.getText(), TEXT);
  assert.equal(document.undoSteps, 1);
});

test("edits of no job are not ours", () => {
  const { jobs, document } = stage(TEXT);
  const uri = document.uri.toString();
  assert.equal(stream({ uri, version: 1, edits: [] }, jobs), undefined);
});
