/** Blank lines that a document lends to a live canvas with more lines than the text it replaces.
 *
 * They stand behind the span's last line, outside what the server works on. They go when the job
 * ends, before a save, and with the commit. This is the only owner of such lines.
 */

import * as vscode from "vscode";
import type { Edit, Span } from "../protocol";
import { savesByItself } from "../settings";
import { apply, type UndoStops } from "../text/apply";
import { grown, spanOf } from "../text/places";
import { rangeOf } from "../text/ranges";
import { Latch } from "./latch";
import { blankLines, lengthens, longer } from "./region";
import type { Room } from "./rows";

const MOST_LINES = 60;
/** How often the lines are taken back anew where the document moves on under the edit. */
const TRIES = 4;

interface Held {
  readonly job: string;
  readonly hole: number;
  readonly document: vscode.TextDocument;
  region: Span;
  /** Our own edit is on its way. */
  inserting: boolean;
  /** Somebody else has edited the document since. */
  foreign: boolean;
  /** Being given back: once at a time is enough. */
  releasing: boolean;
  /** No more lines: an edit was refused, or the file was saved. */
  closed: boolean;
}

export class Rooms implements vscode.Disposable {
  private readonly held: Held[] = [];
  /** Saves that were handed deletions and have not made them yet. */
  private readonly saves = new Map<vscode.TextDocument, Latch>();
  /** The last edit of ours that may give lines back, while it is on its way to the editor. */
  private readonly writing = new Map<vscode.TextDocument, Promise<boolean>>();
  private readonly listeners = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
    vscode.workspace.onWillSaveTextDocument((event) => this.beforeSave(event)),
    vscode.workspace.onDidSaveTextDocument((document) => this.saves.get(document)?.open()),
  );

  /** The lines that a hole has. */
  room(job: string, hole: number): Room | undefined {
    const found = this.find(job, hole);
    const count = found ? found.region.end.line - found.region.start.line : 0;
    return found && count > 0 && !found.closed
      ? { line: found.region.start.line, count }
      : undefined;
  }

  /** Tries to have `wanted` blank lines behind line `last` for a hole; true if some came. */
  async ensure(
    document: vscode.TextDocument,
    { job, hole }: { job: string; hole: number },
    last: number,
    wanted: number,
  ): Promise<boolean> {
    const lines = Math.min(wanted, MOST_LINES) - (this.room(job, hole)?.count ?? 0);
    const possible = last + 1 < document.lineCount && !savesByItself(document);
    const known = this.find(job, hole);
    if (lines <= 0 || !possible || known?.closed || known?.inserting) {
      return false;
    }
    const first = this.of(document).length === 0;
    return this.insert(known ?? this.hold(job, hole, document, last + 1), lines, first);
  }

  /** Ends when no save is about to delete lines; until then nothing may be written near them.
   *
   * The editor makes a save's deletions without looking whether the text has changed meanwhile.
   */
  async rest(document: vscode.TextDocument): Promise<void> {
    for (let save = this.saves.get(document); save; save = this.saves.get(document)) {
      await save.opened;
    }
  }

  /** Makes edits and gives a job's lines back, at once; false if the editor refused all of it. */
  async write(
    job: string,
    document: vscode.TextDocument,
    edits: readonly Edit[],
    stops: UndoStops,
  ): Promise<boolean> {
    const writing = apply(document, [...edits, ...this.deletions(job)], stops);
    this.writing.set(document, writing);
    try {
      const applied = await writing;
      if (applied) {
        this.drop(job);
      }
      return applied;
    } finally {
      if (this.writing.get(document) === writing) {
        this.writing.delete(document);
      }
    }
  }

  /** True if the job has lines and nobody else has edited the document since they came. */
  untouched(job: string): boolean {
    const mine = this.ofJob(job);
    return mine.length > 0 && mine.every((held) => !held.foreign);
  }

  /** Gives a job's lines back, in an undo step of its own if somebody has typed since they came.
   *
   * Never by the command `undo`: it acts on whatever has the focus. Lines that the editor won't
   * give up are held on to, so that no save writes them.
   */
  async release(job: string): Promise<void> {
    const [first] = this.ofJob(job);
    if (!first || first.releasing) {
      return;
    }
    const { document } = first;
    first.releasing = true;
    try {
      for (let tries = 0; tries < TRIES && this.ofJob(job).length > 0; tries += 1) {
        await this.rest(document);
        if (document.isClosed || this.deletions(job).length === 0) {
          this.drop(job);
        } else {
          await this.write(job, document, [], { before: !this.untouched(job), after: true });
        }
      }
    } finally {
      first.releasing = false;
    }
  }

  dispose(): void {
    this.listeners.dispose();
    this.held.length = 0;
    for (const save of this.saves.values()) {
      save.open();
    }
  }

  private find(job: string, hole: number): Held | undefined {
    return this.held.find((held) => held.job === job && held.hole === hole);
  }

  private of(document: vscode.TextDocument): Held[] {
    return this.held.filter((held) => held.document === document);
  }

  private ofJob(job: string): Held[] {
    return this.held.filter((held) => held.job === job);
  }

  /** The edits that give back a job's lines, in the document as it is now. */
  private deletions(job: string): Edit[] {
    const spans = this.ofJob(job).flatMap((held) => blankLines(held.region, held.document));
    return spans.map((range) => ({ range, newText: "" }));
  }

  private drop(job: string): void {
    for (const held of this.ofJob(job)) {
      this.held.splice(this.held.indexOf(held), 1);
    }
  }

  private hold(job: string, hole: number, document: vscode.TextDocument, line: number): Held {
    const place = { line, character: 0 };
    const held: Held = {
      job,
      hole,
      document,
      region: { start: place, end: place },
      inserting: false,
      foreign: false,
      releasing: false,
      closed: false,
    };
    this.held.push(held);
    return held;
  }

  private async insert(held: Held, lines: number, first: boolean): Promise<boolean> {
    const { end } = held.region;
    const edit = { range: { start: end, end }, newText: "\n".repeat(lines) };
    held.inserting = true;
    const done = await apply(held.document, [edit], { before: first, after: false });
    held.inserting = false;
    held.closed ||= !done;
    return done;
  }

  private follow(event: vscode.TextDocumentChangeEvent): void {
    const holders = this.of(event.document);
    for (const { range, text } of event.contentChanges) {
      const change = { range: spanOf(range), text };
      const own = holders.find((held) => held.inserting && lengthens(held.region, change));
      for (const held of holders) {
        held.region = held === own ? longer(held.region, change) : grown(held.region, change);
        held.foreign ||= own === undefined;
      }
    }
    if (this.blank(event.document).length === 0) {
      this.saves.get(event.document)?.open();
    }
  }

  private beforeSave(event: vscode.TextDocumentWillSaveEvent): void {
    const { document } = event;
    for (const held of this.of(document)) {
      held.closed = true;
    }
    if (this.blank(document).length > 0) {
      this.saves.get(document)?.open();
      this.saves.set(document, new Latch(() => this.saves.delete(document)));
      event.waitUntil(this.deletedBySave(document));
    }
  }

  /** What a save deletes: decided once no edit of ours is about to do it. */
  private async deletedBySave(document: vscode.TextDocument): Promise<vscode.TextEdit[]> {
    await this.writing.get(document)?.catch(() => false); // whoever writes tells of it
    return this.blank(document).map((span) => vscode.TextEdit.delete(rangeOf(span)));
  }

  private blank(document: vscode.TextDocument): Span[] {
    return this.of(document).flatMap((held) => blankLines(held.region, held.document));
  }
}
