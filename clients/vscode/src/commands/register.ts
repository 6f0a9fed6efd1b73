/** The commands of package.json, each bound to what it does. */

import * as vscode from "vscode";
import type { Proposals } from "../edits/proposals";
import type { HeatView } from "../heat/view";
import type { Jobs } from "../jobs/book";
import { touchCanvas } from "../live/touch";
import type { Session } from "../server/session";
import { brief, messageOf, warn } from "../view/messages";
import type { StatusBar } from "../view/statusBar";
import { askInstruction } from "./ask";
import { showMenu } from "./menu";
import type { Running } from "./running";
import type { Starter } from "./start";
import { choosePython, toggleEnabled, toggleLanguage } from "./switches";

const WALKTHROUGH = "retouch.retouch#retouch.start";

export interface Parts {
  readonly session: Session;
  readonly jobs: Jobs;
  readonly starter: Starter;
  readonly running: Running;
  readonly proposals: Proposals;
  readonly heat: HeatView;
  readonly statusBar: StatusBar;
  readonly log: vscode.LogOutputChannel;
}

type Handler = (argument?: unknown) => unknown;

export function registerCommands(parts: Parts): vscode.Disposable {
  const handlers: Record<string, Handler> = {
    ...editing(parts),
    ...running(parts),
    ...housekeeping(parts),
  };
  return vscode.Disposable.from(
    ...Object.entries(handlers).map(([name, handler]) =>
      vscode.commands.registerCommand(`retouch.${name}`, handler),
    ),
  );
}

/** Arguments come from key bindings of the user: `{"instruction": "…"}`, `{"strength": 0.5}`. */
function editing({ starter, heat }: Parts): Record<string, Handler> {
  return {
    rewriteSelection: inEditor(async (editor, wish) => {
      const { instruction } = wishOf(wish);
      const said = instruction ?? (await askInstruction(editor.selection.isEmpty));
      if (said !== undefined) {
        await starter.rewrite(editor, said ? { instruction: said } : {});
      }
    }),
    refineSelection: inEditor((editor, wish) => starter.revise(editor, wishOf(wish))),
    fillAllHoles: inEditor((editor) => starter.fillHoles(editor)),
    rerollWord: inEditor((editor) => starter.reroll(editor)),
    toggleHeat: inEditor((editor) => heat.toggle(editor)),
  };
}

/** What is sound in the argument of a command; menus pass other things, such as addresses. */
function wishOf(argument: unknown): { instruction?: string; strength?: number } {
  const { instruction, strength } = Object(argument) as Record<string, unknown>;
  return {
    ...(typeof instruction === "string" ? { instruction } : {}),
    ...(typeof strength === "number" ? { strength } : {}),
  };
}

function running({
  running: jobs,
  jobs: book,
  session,
  proposals,
}: Parts): Record<string, Handler> {
  return {
    touchCanvas: () => {
      const job = jobs.here();
      return job ? touchCanvas(job, book, session) : brief("nothing runs here");
    },
    acceptNow: () => jobs.accept(),
    cancelJob: () => jobs.cancel(),
    acceptProposal: () => proposals.answer(true),
    rejectProposal: () => proposals.answer(false),
  };
}

function housekeeping({ session, jobs, statusBar, log }: Parts): Record<string, Handler> {
  return {
    toggleEnabled,
    toggleLanguage,
    choosePython,
    restartServer: () => session.restart(),
    showLog: () => log.show(),
    showStatus: () => showStatus(session, statusBar),
    showWalkthrough: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH),
    showMenu: () =>
      showMenu({ phase: session.phase, jobs: jobs.all.length, tooltip: statusBar.view.tooltip }),
  };
}

/** A handler that needs an editor, and tells what went wrong. */
function inEditor(work: (editor: vscode.TextEditor, argument: unknown) => Promise<void>): Handler {
  return async (argument) => {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      brief("open a file first");
      return;
    }
    try {
      await work(editor, argument);
    } catch (error) {
      warn(messageOf(error));
    }
  };
}

async function showStatus(session: Session, statusBar: StatusBar): Promise<void> {
  if (session.ready) {
    statusBar.update(await session.request("retouch/status", {}));
  }
  const lines = [statusBar.view.tooltip, session.origin && `Server: ${session.origin}`];
  void vscode.window.showInformationMessage(lines.filter(Boolean).join(". "));
}
