/** What stands between the editor and the language client. */

import * as vscode from "vscode";
import type { ApplyWorkspaceEditParams, Middleware } from "vscode-languageclient/node";
import type { StreamedEdits } from "../edits/stream";
import type { Span } from "../protocol";
import { isEnabled, isOnFor, serverSettings } from "../settings";
import { openDocument } from "../text/ranges";

/** Commands of the server that we carry out ourselves, so that their jobs are shown as ours are. */
export interface Carried {
  rewrite(uri: string, range: Span, instruction?: string): Promise<void>;
  revise(uri: string, range: Span, strength?: number): Promise<void>;
  fillHoles(uri: string, range?: Span): Promise<void>;
  toggle(): Promise<void>;
  cancel(jobId?: string): void;
  /** Makes edits of a job that streams into the document; undefined if they are none of those. */
  stream(edits: StreamedEdits): Promise<boolean> | undefined;
}

const NEVER = new vscode.CancellationTokenSource().token;

export function middleware(carried: Carried): Middleware {
  return {
    provideInlineCompletionItems: (document, position, context, token, next) =>
      wanted(document, context) ? next(document, position, context, token) : null,
    executeCommand: (command, args, next) => {
      const work = CARRIED[command];
      return work ? work(carried, args) : next(command, args);
    },
    workspace: {
      handleApplyEdit: async (params, next) => {
        if (isForClosed(params)) {
          return { applied: false, failureReason: "closed" };
        }
        const edits = onlyTextEdits(params);
        const streamed = edits && carried.stream(edits);
        return streamed ? { applied: await streamed } : next(params, NEVER);
      },
    },
  };
}

type Work = (carried: Carried, args: readonly unknown[]) => unknown;

/** The arguments are those of our own server's code actions. */
const CARRIED: Readonly<Record<string, Work>> = {
  "retouch.rewrite": (to, [uri, range, wish]) =>
    to.rewrite(uri as string, range as Span, wish as string | undefined),
  "retouch.revise": (to, [uri, range, strength]) =>
    to.revise(uri as string, range as Span, strength as number | undefined),
  "retouch.fillHoles": (to, [uri, range]) => to.fillHoles(uri as string, range as Span | undefined),
  "retouch.toggle": (to) => to.toggle(),
  "retouch.cancel": (to, [id]) => to.cancel(id as string | undefined),
};

/** The server would say no as well; asking it at every key costs time. */
function wanted(document: vscode.TextDocument, context: vscode.InlineCompletionContext): boolean {
  const automatic = context.triggerKind === vscode.InlineCompletionTriggerKind.Automatic;
  const manual = serverSettings().trigger === "manual";
  return isEnabled() && isOnFor(document.languageId) && !(automatic && manual);
}

/** Whether a version is meant of a file that isn't open: the client would open it and check nothing. */
function isForClosed({ edit }: ApplyWorkspaceEditParams): boolean {
  return (edit.documentChanges ?? []).some(
    (change) =>
      "edits" in change &&
      change.textDocument.version !== null &&
      !openDocument(change.textDocument.uri),
  );
}

/** The versioned edits of one document, if that is all there is. */
function onlyTextEdits({ edit }: ApplyWorkspaceEditParams): StreamedEdits | undefined {
  const [change, ...others] = edit.documentChanges ?? [];
  if (
    !change ||
    others.length > 0 ||
    !("edits" in change) ||
    change.textDocument.version === null
  ) {
    return undefined;
  }
  const edits = change.edits.flatMap((one) => ("newText" in one ? [one] : []));
  const { uri, version } = change.textDocument;
  return edits.length === change.edits.length ? { uri, version, edits } : undefined;
}
