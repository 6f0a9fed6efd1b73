/** A list of the running canvas's words, kept up to date, with lock, throw back and replace. */

import * as vscode from "vscode";
import type { Job, Jobs } from "../jobs/book";
import type { Link } from "../link";
import type { Answer, CellParams } from "../protocol";
import { messageOf } from "../view/messages";
import { foundAgain, type Word, wordsOf } from "./words";

type Operation = "lock" | "throwBack" | "replace";

interface Item extends vscode.QuickPickItem {
  readonly word: Word;
}

type Button = vscode.QuickInputButton & { readonly operation: Operation };

const BUTTONS: readonly Button[] = [
  button("lock", "lock", "Lock: keep this word"),
  button("throwBack", "refresh", "Throw back: find another word"),
  button("replace", "edit", "Replace: type what must stand here"),
];

/** Lets the user work on `job` until it ends or they close the list. */
export function touchCanvas(job: Job, jobs: Jobs, link: Link): void {
  const list = vscode.window.createQuickPick<Item>();
  list.title = "Retouch: the running canvas";
  list.placeholder = "Enter replaces a word; the buttons lock it or throw it back";
  list.matchOnDescription = true;
  const refresh = (): void => {
    const active = list.activeItems[0]?.word;
    list.items = itemsOf(job);
    list.activeItems = list.items.filter(({ word }) => active && isSame(word, active));
  };
  const run = (operation: Operation, word: Word): void => {
    if (operation === "replace") {
      list.hide();
    }
    void operate(operation, job, word, link);
  };
  const listeners = vscode.Disposable.from(
    list,
    jobs.onFrame((event) => event.job === job && refresh()),
    jobs.onEnd((event) => event.job === job && list.hide()),
    list.onDidTriggerItemButton(({ item, button: pressed }) =>
      run((pressed as Button).operation, item.word),
    ),
    list.onDidAccept(() => {
      const [item] = list.selectedItems;
      if (item) {
        run("replace", item.word);
      }
    }),
    list.onDidHide(() => listeners.dispose()),
  );
  refresh();
  list.show();
}

async function operate(operation: Operation, job: Job, word: Word, link: Link): Promise<void> {
  try {
    const answer = await ask(operation, job, word, link);
    if (answer && !answer.ok) {
      vscode.window.setStatusBarMessage(
        `Retouch: ${answer.reason ?? "that word can't be changed now"}`,
        5000,
      );
    }
  } catch (error) {
    void vscode.window.showWarningMessage(`Retouch: ${messageOf(error)}`);
  }
}

async function ask(
  operation: Operation,
  job: Job,
  word: Word,
  link: Link,
): Promise<Answer | undefined> {
  if (operation !== "replace") {
    return link.request(`retouch/${operation}`, cellOf(job, word));
  }
  const text = await vscode.window.showInputBox({
    title: "Retouch: text that must stand here",
    value: word.look === "masked" ? "" : word.text,
  });
  if (text === undefined) {
    return undefined;
  }
  const frame = job.frames.get(word.hole);
  const now = frame && foundAgain(word, frame); // the canvas went on while the user typed
  return now
    ? link.request("retouch/revisePin", { ...cellOf(job, now), text })
    : { ok: false, reason: "that word has changed meanwhile; choose again" };
}

function cellOf(job: Job, { hole, seq, start, stop }: Word): CellParams {
  return { jobId: job.id, hole, seq, start, stop };
}

/** Doubtful words first. Of what is still masked nothing can be locked or thrown back. */
function itemsOf(job: Job): Item[] {
  const words = [...job.frames.values()].flatMap(wordsOf);
  return words
    .sort((a, b) => sureness(a) - sureness(b))
    .map((word) => ({
      word,
      label: word.text,
      description: descriptionOf(word),
      buttons: word.look === "masked" ? BUTTONS.slice(2) : BUTTONS,
    }));
}

function descriptionOf({ line, look, confidence }: Word): string {
  const sure = confidence === undefined ? look : `confidence ${Math.round(100 * confidence)} %`;
  return look === "plain" ? `line ${line + 1}` : `line ${line + 1} · ${sure}`;
}

function sureness({ look, confidence }: Word): number {
  return look === "masked" ? 2 : (confidence ?? 1);
}

function isSame(a: Word, b: Word): boolean {
  return a.hole === b.hole && a.start === b.start && a.text === b.text;
}

function button(operation: Operation, icon: string, tooltip: string): Button {
  return { operation, iconPath: new vscode.ThemeIcon(icon), tooltip };
}
