/** What the user is told in words. */

import * as vscode from "vscode";
import type { Ended } from "../protocol";
import type { Attempt } from "../python/find";

const BRIEFLY_MS = 6000;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A line in the status bar that goes by itself. */
export function brief(text: string): void {
  vscode.window.setStatusBarMessage(`Retouch: ${text}`, BRIEFLY_MS);
}

export function warn(text: string): void {
  void vscode.window.showWarningMessage(`Retouch: ${text}`);
}

/** Tells how a job ended, if that isn't plain to see. */
export function tellEnd({ reason, message }: Ended): void {
  if (reason === "failed") {
    warn(message ?? "the job failed. “Retouch: Show Log” tells why.");
  } else if (reason === "conflict") {
    brief(message ?? "stopped, because the text was edited");
  } else if (reason === "unchanged") {
    brief(message ?? "nothing better was found");
  }
}

/** Says that no Python with Retouch was found, and offers what helps. */
export async function tellMissing(attempts: readonly Attempt[]): Promise<void> {
  const tried = attempts.map(({ python, why }) => `${python}: ${why}`).join("; ");
  const text = `Retouch was not found. Install it, or choose the Python that has it. Tried: ${tried || "nothing"}.`;
  await offer(text, {
    "Choose Python…": "retouch.choosePython",
    "How to Install": "retouch.showWalkthrough",
    "Show Log": "retouch.showLog",
  });
}

export async function tellFailed(): Promise<void> {
  const text = "The Retouch language server did not start.";
  await offer(text, { "Show Log": "retouch.showLog", "Try Again": "retouch.restartServer" });
}

async function offer(text: string, actions: Readonly<Record<string, string>>): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(text, ...Object.keys(actions));
  const command = chosen === undefined ? undefined : actions[chosen];
  if (command) {
    await vscode.commands.executeCommand(command);
  }
}
