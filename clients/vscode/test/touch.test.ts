import assert from "node:assert/strict";
import { test } from "node:test";
import { touchCanvas } from "../src/live/touch";
import { FakeQuickPick, fake } from "./fake/vscode";
import { FakeLink, frameOf, settled, span, stage } from "./harness";

function touching() {
  return { ...stage("def f():\n    old()\nprint(f())\n"), link: new FakeLink() };
}

test("words of the running canvas are locked, thrown back and replaced by their cells", async () => {
  const { link, jobs, document } = touching();
  for (const method of ["lock", "throwBack", "revisePin"]) {
    link.answers.set(`retouch/${method}`, { ok: true });
  }
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "ab", "cd ▒▒"));
  const [job] = jobs.all;
  assert.ok(job);
  touchCanvas(job, jobs, link);
  const list = FakeQuickPick.last;
  assert.ok(list?.visible);
  const items = list.items as { label: string; buttons: { operation: string }[] }[];
  assert.deepEqual(
    items.map(({ label, buttons }) => [label, buttons.length]),
    [
      ["ab", 3],
      ["cd", 3],
      ["▒▒", 1],
    ],
  );
  const [, second] = items;
  list.pressed.fire({ item: second, button: second?.buttons[0] });
  list.pressed.fire({ item: second, button: second?.buttons[1] });
  fake.answers.push("xy");
  list.selectedItems = [items[2]];
  list.accepted.fire();
  await settled();
  const cell = { jobId: "j", hole: 0, seq: job.frames.get(0)?.seq };
  assert.deepEqual(link.asked, [
    { method: "retouch/lock", params: { ...cell, start: 3, stop: 5 } },
    { method: "retouch/throwBack", params: { ...cell, start: 3, stop: 5 } },
    { method: "retouch/revisePin", params: { ...cell, start: 6, stop: 8, text: "xy" } },
  ]);
  assert.equal(list.visible, false);
});

test("a word is looked up again once its text is typed", async () => {
  const { link, jobs, document } = touching();
  link.answers.set("retouch/revisePin", { ok: true });
  const show = (...lines: string[]) => jobs.frame(frameOf(document, span(1, 4, 1, 9), ...lines));
  const replace = async (label: string, ...meanwhile: string[]): Promise<void> => {
    const items = FakeQuickPick.last?.items as { label: string }[];
    Object.assign(FakeQuickPick.last ?? {}, {
      selectedItems: items.filter((item) => item.label === label),
    });
    fake.answers.push("xy");
    FakeQuickPick.last?.accepted.fire();
    show(...meanwhile);
    await settled();
  };
  show("▒▒ ab", "cd");
  const [job] = jobs.all;
  assert.ok(job);
  touchCanvas(job, jobs, link);
  await replace("cd", "long ab", "cd");
  const seq = job.frames.get(0)?.seq;
  const where = { jobId: "j", hole: 0, seq, start: 8, stop: 10 };
  assert.deepEqual(link.asked, [{ method: "retouch/revisePin", params: { ...where, text: "xy" } }]);
  touchCanvas(job, jobs, link);
  await replace("cd", "long ab", "ef");
  touchCanvas(job, jobs, link);
  await replace("ab", "ab long ab", "ef");
  assert.equal(link.asked.length, 1, "what can't be found is not replaced");
  assert.match(fake.shown.at(-1)?.text ?? "", /changed meanwhile/);
});

test("the list of words follows the frames and goes with the job", () => {
  const { link, jobs, document } = touching();
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "▒▒"));
  const [job] = jobs.all;
  assert.ok(job);
  touchCanvas(job, jobs, link);
  jobs.frame(frameOf(document, span(1, 4, 1, 9), "ab"));
  const items = FakeQuickPick.last?.items as { label: string }[];
  assert.deepEqual(
    items.map(({ label }) => label),
    ["ab"],
  );
  jobs.ended({ jobId: "j", reason: "done" });
  assert.equal(FakeQuickPick.last?.visible, false);
});
