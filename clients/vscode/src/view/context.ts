/** Keeps the `when` keys of package.json: retouch.ready, retouch.jobRunning, retouch.jobHere. */

import * as vscode from "vscode";
import type { Jobs } from "../jobs/book";
import type { Session } from "../server/session";

export function followContext(
  session: Pick<Session, "ready" | "onPhase">,
  jobs: Jobs,
): vscode.Disposable {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) !== value) {
      known.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  };
  const update = (): void => {
    const here = vscode.window.activeTextEditor?.document.uri.toString();
    set("retouch.ready", session.ready);
    set(
      "retouch.jobRunning",
      jobs.all.some((job) => !job.cancelled),
    );
    set("retouch.jobHere", jobs.latest(here) !== undefined);
  };
  update();
  return vscode.Disposable.from(
    session.onPhase(update),
    jobs.onChange(update),
    vscode.window.onDidChangeActiveTextEditor(update),
  );
}
