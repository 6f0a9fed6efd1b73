/** Documents and editors, with versions, line ends and undo as the editor keeps them. */

import { EventEmitter, Position, Range, Selection, Uri } from "./basics";

interface ContentChange {
  readonly range: Range;
  readonly text: string;
}

interface TextDocumentChangeEvent {
  readonly document: FakeDocument;
  readonly contentChanges: readonly ContentChange[];
}

export const changedDocument = new EventEmitter<TextDocumentChangeEvent>();

const BREAK = /\r\n|\r|\n/;

export class FakeDocument {
  version = 1;
  isClosed = false;
  private readonly undoable: string[] = [];
  private open = false;

  constructor(
    readonly uri: Uri,
    private text: string,
    readonly languageId = "python",
  ) {}

  get fileName(): string {
    return this.uri.path;
  }

  get lineCount(): number {
    return this.text.split(BREAK).length;
  }

  get undoSteps(): number {
    return this.undoable.length;
  }

  lineAt(line: number): { text: string; range: Range } {
    const text = this.text.split(BREAK)[line];
    if (text === undefined) {
      throw new Error(`no line ${line}`);
    }
    return { text, range: new Range(line, 0, line, text.length) };
  }

  getText(range?: Range): string {
    return range
      ? this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end))
      : this.text;
  }

  offsetAt({ line, character }: { line: number; character: number }): number {
    let start = 0;
    for (let at = 0; at < line; at += 1) {
      const match = BREAK.exec(this.text.slice(start));
      start += match ? match.index + match[0].length : 0;
    }
    return start + character;
  }

  /** Changes of the text as it is, none of which overlap, as one event. */
  change(changes: readonly ContentChange[], stops = { before: true, after: true }): void {
    if (stops.before || !this.open) {
      this.undoable.push(this.text);
    }
    this.open = !stops.after;
    this.write(changes);
  }

  undo(): void {
    const before = this.undoable.pop();
    this.open = false;
    if (before !== undefined) {
      const lines = this.text.split(BREAK);
      const last = lines[lines.length - 1] ?? "";
      const all = new Range(0, 0, lines.length - 1, last.length);
      this.write([minimal(this, all, before)]);
    }
  }

  private write(changes: readonly ContentChange[]): void {
    const eol = this.text.includes("\r\n") ? "\r\n" : "\n";
    const ordered = [...changes]
      .map(({ range, text }) => ({ range, text: text.replace(/\r\n|\r|\n/g, eol) }))
      .sort((a, b) => this.offsetAt(b.range.start) - this.offsetAt(a.range.start));
    for (const { range, text } of ordered) {
      const [from, to] = [this.offsetAt(range.start), this.offsetAt(range.end)];
      this.text = this.text.slice(0, from) + text + this.text.slice(to);
    }
    this.version += 1;
    changedDocument.fire({ document: this, contentChanges: ordered });
  }
}

/** The least change of `all` that makes the text `after`. */
function minimal(document: FakeDocument, all: Range, after: string): ContentChange {
  const before = document.getText(all);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) {
    head += 1;
  }
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail += 1;
  }
  const range = new Range(placeAt(before, head), placeAt(before, before.length - tail));
  return { range, text: after.slice(head, after.length - tail) };
}

function placeAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(BREAK);
  return new Position(lines.length - 1, (lines[lines.length - 1] ?? "").length);
}

interface Builder {
  insert(at: Position, text: string): void;
  replace(range: Range, text: string): void;
  delete(range: Range): void;
}

export class FakeEditor {
  selection = new Selection(0, 0, 0, 0);
  options: { tabSize: number | string; insertSpaces: boolean | string } = {
    tabSize: 4,
    insertSpaces: true,
  };
  visibleRanges: Range[] = [];
  readonly decorations = new Map<unknown, readonly unknown[]>();
  /** Edits are refused while this is false. */
  willing = true;
  /** What every edit is rejected with. */
  failure: Error | undefined;
  /** What happens once, while an edit is on its way. */
  meanwhile: (() => void) | undefined;

  constructor(readonly document: FakeDocument) {}

  async edit(
    work: (builder: Builder) => void,
    stops: { undoStopBefore: boolean; undoStopAfter: boolean },
  ): Promise<boolean> {
    const changes: ContentChange[] = [];
    const { version } = this.document;
    work({
      insert: (at, text) => changes.push({ range: new Range(at, at), text }),
      replace: (range, text) => changes.push({ range, text }),
      delete: (range) => changes.push({ range, text: "" }),
    });
    await Promise.resolve();
    const { meanwhile } = this;
    this.meanwhile = undefined;
    meanwhile?.();
    if (this.failure) {
      throw this.failure;
    }
    const taken = this.willing && this.document.version === version;
    if (taken) {
      this.document.change(changes, { before: stops.undoStopBefore, after: stops.undoStopAfter });
    }
    return taken;
  }

  setDecorations(type: unknown, options: readonly unknown[]): void {
    this.decorations.set(type, options);
  }
}

export class WorkspaceEdit {
  readonly changes: { uri: Uri; range: Range; text: string }[] = [];

  replace(uri: Uri, range: Range, text: string): void {
    this.changes.push({ uri, range, text });
  }

  delete(uri: Uri, range: Range): void {
    this.replace(uri, range, "");
  }
}

export function documentAt(path: string, text: string, language?: string): FakeDocument {
  return new FakeDocument(Uri.file(path), text, language);
}
