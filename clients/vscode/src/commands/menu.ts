/** The menu of the status bar item. */

import * as vscode from "vscode";
import type { Phase } from "../server/session";
import { isEnabled, isOnFor } from "../settings";

interface Entry extends vscode.QuickPickItem {
  readonly command?: string;
  readonly argument?: string;
}

export interface MenuFacts {
  readonly phase: Phase;
  readonly jobs: number;
  readonly tooltip: string;
}

export async function showMenu(facts: MenuFacts): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  const chosen = await vscode.window.showQuickPick(entries(facts, language), {
    title: facts.tooltip,
    placeHolder: "What should happen?",
  });
  if (chosen?.command) {
    const rest = chosen.argument === undefined ? [] : [chosen.argument];
    await vscode.commands.executeCommand(chosen.command, ...rest);
  }
}

function entries({ phase, jobs }: MenuFacts, language: string | undefined): Entry[] {
  const running = phase === "running";
  return [
    ...(jobs > 0 ? [entry("$(stop-circle) Cancel what is running", "retouch.cancelJob")] : []),
    entry(isEnabled() ? "$(circle-slash) Turn off" : "$(sparkle) Turn on", "retouch.toggleEnabled"),
    ...(language ? [languageEntry(language)] : []),
    ...(running ? editing(language !== undefined) : []),
    ...(phase === "missing"
      ? [entry("$(folder-opened) Choose Python…", "retouch.choosePython")]
      : []),
    entry("$(info) Show status", "retouch.showStatus"),
    entry("$(output) Show log", "retouch.showLog"),
    entry("$(debug-restart) Restart language server", "retouch.restartServer"),
    entry("$(gear) Settings", "workbench.action.openSettings", "@ext:retouch.retouch"),
  ];
}

function languageEntry(language: string): Entry {
  const text = isOnFor(language) ? `Turn off for ${language}` : `Turn on for ${language}`;
  return entry(`$(file-code) ${text}`, "retouch.toggleLanguage");
}

function editing(open: boolean): Entry[] {
  if (!open) {
    return [];
  }
  return [
    { label: "Edit", kind: vscode.QuickPickItemKind.Separator },
    entry("$(sparkle) Rewrite selection…", "retouch.rewriteSelection"),
    entry("$(wand) Refine selection", "retouch.refineSelection"),
    entry("$(checklist) Fill all holes", "retouch.fillAllHoles"),
    entry("$(flame) Show or hide confidence", "retouch.toggleHeat"),
    { label: "Server", kind: vscode.QuickPickItemKind.Separator },
  ];
}

function entry(label: string, command: string, argument?: string): Entry {
  return argument === undefined ? { label, command } : { label, command, argument };
}
