/** Shows the running jobs' frames over the text they replace. The document itself holds no mask. */

import * as vscode from "vscode";
import type { Job, Jobs } from "../jobs/book";
import type { Frame } from "../protocol";
import type { Histories } from "../text/histories";
import { editorsOf, openDocument } from "../text/ranges";
import type { Rooms } from "./rooms";
import { type Drawn, type Lines, missing, type Row, rowsOf, withoutLastBreak } from "./rows";

/** Draws rows into an editor, in place of those it drew before. */
export interface Brush {
  paint(editor: vscode.TextEditor, rows: readonly Row[]): void;
}

export class Canvas implements vscode.Disposable {
  /** Jobs whose blank lines are being fetched; the promise ends when that is over. */
  private readonly busy = new Map<string, Promise<unknown>>();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly jobs: Jobs,
    private readonly histories: Histories,
    private readonly rooms: Rooms,
    private readonly brush: Brush,
  ) {
    this.listeners = vscode.Disposable.from(
      jobs.onFrame(({ job, frame }) => this.show(job, frame)),
      jobs.onEnd(({ job }) => this.finish(job)),
      jobs.onCancel((job) => this.finish(job)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.repaint()),
    );
  }

  /** Stops drawing a job; the promise ends when no edit of ours is on its way any more. */
  async settle(job: Job): Promise<void> {
    job.settled = true;
    await this.busy.get(job.id);
  }

  /** Takes a settled job's picture away. */
  clear(job: Job): void {
    job.settled = true;
    this.repaint(job.uri);
  }

  dispose(): void {
    this.listeners.dispose();
  }

  private show(job: Job, frame: Frame): void {
    if (job.settled) {
      return;
    }
    this.repaint(job.uri);
    if (!this.busy.has(job.id)) {
      const fetching = this.fetch(job, frame).finally(() => this.busy.delete(job.id));
      this.busy.set(job.id, fetching);
    }
  }

  private async fetch(job: Job, frame: Frame): Promise<void> {
    const document = openDocument(job.uri);
    const seen = document && editorsOf(document).length > 0;
    const drawn = document && this.drawn(document, frame);
    const wanted = drawn ? missing(drawn.span, drawn.frame) : 0;
    if (seen && drawn && wanted > 0) {
      const hole = { job: job.id, hole: frame.hole };
      if (await this.rooms.ensure(document, hole, drawn.span.end.line, wanted)) {
        this.repaint(job.uri);
      }
    }
  }

  private finish(job: Job): void {
    this.clear(job);
    void (this.busy.get(job.id) ?? Promise.resolve()).then(() => this.rooms.release(job.id));
  }

  private repaint(uri?: string): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (uri === undefined || openDocument(uri) === editor.document) {
        this.brush.paint(editor, this.rowsIn(editor.document));
      }
    }
  }

  private rowsIn(document: vscode.TextDocument): Row[] {
    const shown = this.jobs.all.filter((job) => !job.settled && openDocument(job.uri) === document);
    return shown.flatMap((job) =>
      [...job.frames.values()].flatMap((frame) => {
        const drawn = this.drawn(document, frame);
        const room = this.rooms.room(job.id, frame.hole);
        return drawn ? rowsOf(drawn.span, drawn.frame, linesOf(document), room) : [];
      }),
    );
  }

  /** What is drawn of a frame, and over which text; undefined if that has changed. */
  private drawn(document: vscode.TextDocument, frame: Frame): Drawn | undefined {
    const span = this.histories.bring(document, frame.range, frame.version);
    return span && span.end.line < document.lineCount
      ? withoutLastBreak(span, frame.lines, linesOf(document))
      : undefined;
  }
}

function linesOf(document: vscode.TextDocument): Lines {
  return {
    lineText: (line) => document.lineAt(line).text,
  };
}
