/** The selections of running jobs: collapsed, so that the canvas can be seen, and back if nothing came of it. */

import * as vscode from "vscode";
import type { Jobs } from "../jobs/book";
import type { EndReason } from "../protocol";

interface Kept {
  readonly editor: vscode.TextEditor;
  readonly selection: vscode.Selection;
  /** Where the cursor was put; if it is elsewhere by the end, it is the user's. */
  readonly cursor: vscode.Position;
}

const CAME: readonly EndReason[] = ["done", "conflict"];

export class Selections implements vscode.Disposable {
  private readonly kept = new Map<string, Kept>();
  private readonly listener: vscode.Disposable;

  constructor(jobs: Jobs) {
    this.listener = jobs.onEnd(({ job, ended }) => {
      const kept = this.kept.get(job.id);
      this.kept.delete(job.id);
      if (kept && !CAME.includes(ended.reason)) {
        restore(kept);
      }
    });
  }

  /** Leaves a cursor at the selection's start until the job ends. */
  collapse(editor: vscode.TextEditor, jobId: string): void {
    const { selection } = editor;
    if (!selection.isEmpty) {
      const cursor = selection.start;
      this.kept.set(jobId, { editor, selection, cursor });
      editor.selection = new vscode.Selection(cursor, cursor);
    }
  }

  dispose(): void {
    this.listener.dispose();
    this.kept.clear();
  }
}

function restore({ editor, selection, cursor }: Kept): void {
  const now = editor.selection;
  if (now.isEmpty && now.active.isEqual(cursor)) {
    editor.selection = selection;
  }
}
