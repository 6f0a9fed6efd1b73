/** Shows a change as a diff before it is made, and waits for a yes or a no. */

import * as vscode from "vscode";
import type { Jobs } from "../jobs/book";
import type { CommitParams, Edit } from "../protocol";
import { applied } from "../text/applied";

export const SCHEME = "retouch-proposal";
const CONTEXT = "retouch.proposalOpen";

interface Pending {
  readonly jobId: string;
  readonly uri: vscode.Uri;
  readonly document: vscode.TextDocument;
  readonly text: string;
  settle(approved: boolean): void;
}

export class Proposals implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly pending = new Map<string, Pending>();
  private readonly listeners: vscode.Disposable;

  constructor(jobs: Jobs) {
    this.listeners = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.closed(closed)),
      jobs.onCancel((job) => this.withdraw(job.id)),
      jobs.onEnd(({ job }) => this.withdraw(job.id)),
    );
  }

  /** True if the user takes it. False if they don't, close the diff, or stop the job, or it ends. */
  async decide(
    document: vscode.TextDocument,
    edits: readonly Edit[],
    { jobId, label }: CommitParams,
  ): Promise<boolean> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: document.uri.path, query: jobId });
    const text = applied(document.getText(), edits);
    const decided = new Promise<boolean>((settle) => {
      this.pending.set(uri.toString(), { jobId, uri, document, text, settle });
    });
    await setContext(true);
    await vscode.commands.executeCommand("vscode.diff", document.uri, uri, `Retouch: ${label}`);
    const approved = await this.withHint(decided, uri);
    this.pending.delete(uri.toString());
    await setContext(this.pending.size > 0);
    await this.leave(uri, document);
    return approved;
  }

  /** Answers for the diff that is in front, or for the only one. */
  answer(approved: boolean): void {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const front = input instanceof vscode.TabInputTextDiff ? input.modified.toString() : "";
    const all = [...this.pending.values()];
    (this.pending.get(front) ?? (all.length === 1 ? all[0] : undefined))?.settle(approved);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.pending.get(uri.toString())?.text ?? "";
  }

  dispose(): void {
    for (const pending of this.pending.values()) {
      pending.settle(false);
    }
    this.listeners.dispose();
  }

  /** Says how to answer, in a message that goes by itself; its own Cancel discards. */
  private withHint(decided: Promise<boolean>, uri: vscode.Uri): Thenable<boolean> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: "Retouch: apply this change with ✓ above the diff, or discard it",
      cancellable: true,
    };
    return vscode.window.withProgress(options, (_, token) => {
      token.onCancellationRequested(() => this.pending.get(uri.toString())?.settle(false));
      return decided;
    });
  }

  /** There is nothing to decide any more. */
  private withdraw(jobId: string): void {
    for (const pending of this.pending.values()) {
      if (pending.jobId === jobId) {
        pending.settle(false);
      }
    }
  }

  private closed(tabs: readonly vscode.Tab[]): void {
    for (const { input } of tabs) {
      if (input instanceof vscode.TabInputTextDiff) {
        this.pending.get(input.modified.toString())?.settle(false);
      }
    }
  }

  /** Closes the diff and goes back to the document, where the change is about to be made. */
  private async leave(uri: vscode.Uri, document: vscode.TextDocument): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const diff = tabs.find(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString(),
    );
    if (diff) {
      await vscode.window.tabGroups.close(diff);
    }
    if (!document.isClosed) {
      await vscode.window.showTextDocument(document);
    }
  }
}

function setContext(open: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", CONTEXT, open);
}
