import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import { showMenu } from "../src/commands/menu";
import { Running } from "../src/commands/running";
import { Selections } from "../src/commands/selections";
import { Starter } from "../src/commands/start";
import { toggleEnabled, toggleLanguage } from "../src/commands/switches";
import { HeatView } from "../src/heat/view";
import { isOnFor, serverSettings } from "../src/settings";
import { followContext } from "../src/view/context";
import { tellEnd, tellMissing } from "../src/view/messages";
import { EventEmitter, type FakeEditor, fake, Selection } from "./fake/vscode";
import { FakeLink, firstAsked, span, stage } from "./harness";

const TEXT = "def f():\n    old()\nprint(f())\n";

function as(editor: FakeEditor): vscode.TextEditor {
  return editor as unknown as vscode.TextEditor;
}

function starting() {
  const parts = stage(TEXT);
  const link = new FakeLink();
  link.answers.set("retouch/rewrite", { jobId: "j" });
  link.answers.set("retouch/revise", { jobId: "j" });
  return { ...parts, link, starter: new Starter(link, parts.jobs, new Selections(parts.jobs)) };
}

test("a rewrite asks for the selection, the version and the indentation", async () => {
  const { starter, link, editor, document, jobs } = starting();
  editor.selection = new Selection(1, 4, 1, 9);
  editor.options = { tabSize: 2, insertSpaces: false };
  await starter.rewrite(as(editor), { instruction: "shorter" });
  assert.deepEqual(link.asked[0]?.params, {
    textDocument: { uri: document.uri.toString(), version: 1 },
    range: span(1, 4, 1, 9),
    formattingOptions: { tabSize: 2, insertSpaces: false },
    instruction: "shorter",
  });
  assert.deepEqual(jobs.get("j")?.origin, {
    version: 1,
    spans: [{ range: span(1, 4, 1, 9), text: "old()" }],
  });
});

test("the selection is collapsed while the job runs, and comes back if nothing came of it", async () => {
  const { starter, editor, jobs } = starting();
  editor.selection = new Selection(1, 4, 1, 9);
  await starter.rewrite(as(editor), {});
  assert.ok(editor.selection.isEmpty);
  jobs.ended({ jobId: "j", reason: "cancelled" });
  assert.equal(editor.selection.end.character, 9);
  editor.selection = new Selection(1, 4, 1, 9);
  const link = new FakeLink();
  link.answers.set("retouch/rewrite", { jobId: "k" });
  await new Starter(link, jobs, new Selections(jobs)).rewrite(as(editor), {});
  editor.selection = new Selection(0, 0, 0, 0);
  jobs.ended({ jobId: "k", reason: "cancelled" });
  assert.equal(editor.selection.end.character, 0, "a cursor that was moved stays");
});

test("no instruction and an empty one are different wishes", async () => {
  const { starter, link, editor } = starting();
  await starter.rewrite(as(editor), {});
  assert.ok(!("instruction" in firstAsked(link)));
  link.asked.length = 0;
  await starter.rewrite(as(editor), { instruction: "" });
  assert.equal(firstAsked(link)["instruction"], "");
});

test("a refinement without a selection takes the line", async () => {
  const { starter, link, editor } = starting();
  editor.selection = new Selection(1, 6, 1, 6);
  await starter.revise(as(editor), { strength: 0.5 });
  const { range, strength } = firstAsked(link);
  assert.deepEqual(range, span(1, 0, 1, 9));
  assert.equal(strength, 0.5);
});

test("all holes of the document are filled, or those of the selection", async () => {
  const { starter, link, editor } = starting();
  link.answers.set("retouch/fillHoles", { jobId: "j", holes: [] });
  await starter.fillHoles(as(editor));
  assert.ok(!("range" in firstAsked(link)));
  link.asked.length = 0;
  editor.selection = new Selection(0, 0, 1, 9);
  await starter.fillHoles(as(editor));
  assert.deepEqual(firstAsked(link)["range"], span(0, 0, 1, 9));
});

test("a word is rerolled at the cursor", async () => {
  const { starter, link, editor } = starting();
  link.answers.set("retouch/reroll", { jobId: "j", range: span(1, 4, 1, 7) });
  editor.selection = new Selection(1, 5, 1, 5);
  await starter.reroll(as(editor));
  assert.deepEqual(firstAsked(link)["position"], {
    line: 1,
    character: 5,
  });
});

test("the server's refusal is shown, and no job is left", async () => {
  const { starter, link, editor, jobs } = starting();
  link.answers.set("retouch/rewrite", new Error("That file is ignored"));
  await starter.rewrite(as(editor), {});
  assert.deepEqual(fake.shown, [{ kind: "warning", text: "Retouch: That file is ignored" }]);
  assert.equal(jobs.all.length, 0);
});

test("cancelling tells the server at once and only about the document's newest job", () => {
  const { link, jobs, document } = starting();
  const running = new Running(link, jobs);
  jobs.started("a", "file:///other");
  jobs.started("b", document.uri.toString());
  jobs.started("c", document.uri.toString());
  running.cancel();
  assert.deepEqual(link.told, [
    { method: "retouch/cancel", params: { jobId: "c", reason: "user" } },
  ]);
  running.cancel("a");
  assert.deepEqual(
    jobs.all.map(({ cancelled }) => cancelled),
    [true, false, true],
  );
});

test("a server that is started again may name its jobs as the one before", () => {
  const { jobs, document } = starting();
  const uri = document.uri.toString();
  jobs.started("job-1", uri);
  jobs.ended({ jobId: "job-1", reason: "done" });
  jobs.started("job-1", uri);
  assert.equal(jobs.get("job-1"), undefined, "a late answer brings nothing back");
  jobs.started("job-2", uri);
  jobs.abandon();
  assert.equal(jobs.all.length, 0);
  const ends: string[] = [];
  jobs.onEnd(({ ended }) => ends.push(ended.reason));
  for (const id of ["job-1", "job-2"]) {
    jobs.started(id, uri);
    jobs.ended({ jobId: id, reason: "failed" });
  }
  assert.deepEqual(ends, ["failed", "failed"]);
});

test("taking what is there names the job, and tells why not", async () => {
  const { link, jobs, document } = starting();
  link.answers.set("retouch/accept", { ok: false, reason: "nothing is revealed yet" });
  await new Running(link, jobs).accept();
  assert.equal(link.asked.length, 0);
  jobs.started("a", document.uri.toString());
  await new Running(link, jobs).accept();
  assert.deepEqual(link.asked[0]?.params, { jobId: "a" });
  assert.match(fake.shown[0]?.text ?? "", /nothing is revealed yet/);
});

test("the heat view colours doubtful tokens until the text changes", async () => {
  const { link, editor, document } = starting();
  const tokens = [{ range: span(1, 4, 1, 7), confidence: 0.2 }];
  link.answers.set("retouch/heat", { version: 1, tokens });
  const heat = new HeatView(link);
  const coloured = () => [...editor.decorations.values()].map((options) => options.length);
  await heat.toggle(as(editor));
  assert.deepEqual(coloured(), [0, 0, 1]);
  fake.type(document, [0, 0, 0, 0], "x");
  assert.deepEqual(coloured(), [0, 0, 0]);
  link.answers.set("retouch/heat", { version: 1, tokens });
  await heat.toggle(as(editor));
  assert.deepEqual(coloured(), [0, 0, 0], "an answer for an older version is not shown");
  link.answers.set("retouch/heat", { version: 2, tokens });
  await heat.toggle(as(editor));
  await heat.toggle(as(editor));
  assert.deepEqual(coloured(), [0, 0, 0], "the second time hides it");
  heat.dispose();
});

test("turning on and off writes settings", async () => {
  const { editor } = starting();
  await toggleEnabled();
  assert.equal(serverSettings().enable, false);
  await toggleLanguage();
  assert.equal(isOnFor(editor.document.languageId), false);
  assert.equal(isOnFor("rust"), true);
});

test("the menu runs what was chosen, and offers what fits", async () => {
  starting();
  fake.answers.push("Restart");
  await showMenu({ phase: "running", jobs: 0, tooltip: "" });
  assert.equal(fake.executed.at(-1)?.command, "retouch.restartServer");
  assert.doesNotMatch(fake.shown[0]?.text ?? "", /Cancel|Choose Python/);
  await showMenu({ phase: "missing", jobs: 1, tooltip: "" });
  assert.match(fake.shown[1]?.text ?? "", /Cancel[\s\S]*Choose Python/);
});

test("the keys' contexts follow the server and the jobs", () => {
  const { jobs, document } = starting();
  const phase = new EventEmitter<never>();
  const session = { ready: false, onPhase: phase.event as unknown as vscode.Event<never> };
  followContext(session, jobs);
  assert.equal(fake.contexts.get("retouch.ready"), false);
  session.ready = true;
  phase.fire(undefined as never);
  jobs.started("a", document.uri.toString());
  assert.deepEqual(Object.fromEntries(fake.contexts), {
    "retouch.ready": true,
    "retouch.jobRunning": true,
    "retouch.jobHere": true,
  });
  const [job] = jobs.all;
  assert.ok(job);
  jobs.cancel(job);
  assert.equal(fake.contexts.get("retouch.jobHere"), false);
});

test("only ends that can't be seen are told", () => {
  starting();
  for (const reason of ["done", "cancelled", "unchanged", "failed", "conflict"] as const) {
    tellEnd({ jobId: "j", reason });
  }
  assert.deepEqual(
    fake.shown.map(({ kind }) => kind),
    ["brief", "warning", "brief"],
  );
});

test("a missing Python is told once, with a way out", async () => {
  starting();
  fake.answers.push("Choose Python…");
  await tellMissing([
    { source: "python3 on PATH", python: "python3", why: "Retouch is not installed in it" },
  ]);
  assert.equal(fake.executed.at(-1)?.command, "retouch.choosePython");
  assert.match(fake.shown[0]?.text ?? "", /python3: Retouch is not installed in it/);
});
