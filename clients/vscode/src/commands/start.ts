/** Starts jobs: what is asked of the server, and what is remembered of the text that it was asked of. */

import type * as vscode from "vscode";
import type { Jobs, Origin } from "../jobs/book";
import type { Link } from "../link";
import type { JobStarted, Requests, Span } from "../protocol";
import { spanOf } from "../text/places";
import { formattingOf, rangeOf } from "../text/ranges";
import { messageOf, warn } from "../view/messages";
import type { Selections } from "./selections";

type Starting = "retouch/rewrite" | "retouch/revise" | "retouch/fillHoles" | "retouch/reroll";

export interface RewriteWish {
  readonly range?: Span;
  readonly instruction?: string;
}

export interface ReviseWish {
  readonly range?: Span;
  readonly strength?: number;
  readonly instruction?: string;
}

export class Starter {
  constructor(
    private readonly link: Link,
    private readonly jobs: Jobs,
    private readonly selections: Selections,
  ) {}

  /** Masks a span, by default the selection, and fills it again; an empty one is a place to fill. */
  async rewrite(editor: vscode.TextEditor, { range, instruction }: RewriteWish): Promise<void> {
    const span = spanOf(range ?? editor.selection);
    await this.start(editor, "retouch/rewrite", [span], {
      textDocument: idOf(editor.document),
      range: span,
      formattingOptions: formattingOf(editor),
      ...(instruction === undefined ? {} : { instruction }),
    });
  }

  /** Keeps a span, by default the selection or the line, and changes its weakest tokens. */
  async revise(
    editor: vscode.TextEditor,
    { range, strength, instruction }: ReviseWish,
  ): Promise<void> {
    const span = spanOf(range ?? selectionOrLine(editor));
    await this.start(editor, "retouch/revise", [span], {
      textDocument: idOf(editor.document),
      range: span,
      ...(strength === undefined ? {} : { strength }),
      ...(instruction ? { instruction } : {}),
    });
  }

  /** Fills every placeholder of a span, by default the selection or the whole document. */
  async fillHoles(editor: vscode.TextEditor, range?: Span): Promise<void> {
    const selected = editor.selection.isEmpty ? undefined : spanOf(editor.selection);
    const span = range ?? selected;
    await this.start(editor, "retouch/fillHoles", [], {
      textDocument: idOf(editor.document),
      ...(span ? { range: span } : {}),
    });
  }

  /** Fills the word under the cursor again, with something else. */
  async reroll(editor: vscode.TextEditor): Promise<void> {
    const { line, character } = editor.selection.active;
    await this.start(editor, "retouch/reroll", [], {
      textDocument: idOf(editor.document),
      position: { line, character },
    });
  }

  private async start<M extends Starting>(
    editor: vscode.TextEditor,
    method: M,
    spans: readonly Span[],
    params: Requests[M][0],
  ): Promise<void> {
    const { document } = editor;
    const origin = originOf(document, spans);
    try {
      const { jobId } = (await this.link.request(method, params)) as JobStarted;
      this.jobs.started(jobId, document.uri.toString(), origin);
      this.selections.collapse(editor, jobId);
    } catch (error) {
      warn(messageOf(error));
    }
  }
}

function originOf(document: vscode.TextDocument, spans: readonly Span[]): Origin {
  const texts = spans.map((range) => ({ range, text: document.getText(rangeOf(range)) }));
  return { version: document.version, spans: texts };
}

function idOf(document: vscode.TextDocument): { uri: string; version: number } {
  return { uri: document.uri.toString(), version: document.version };
}

function selectionOrLine({ selection, document }: vscode.TextEditor): vscode.Range {
  return selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
}
