/** Places, ranges, events: what the editor's interface is made of. */

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}

  isEqual(other: Position): boolean {
    return this.line === other.line && this.character === other.character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...args: [Position, Position] | [number, number, number, number]) {
    const [a, b, c, d] = args;
    this.start = typeof a === "number" ? new Position(a, b as number) : a;
    this.end = typeof a === "number" ? new Position(c as number, d as number) : (b as Position);
  }

  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
}

export class Selection extends Range {
  get active(): Position {
    return this.end;
  }
}

type Listener<T> = (event: T) => unknown;

export class Disposable {
  constructor(private readonly work: () => unknown) {}

  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) {
        one.dispose();
      }
    });
  }

  dispose(): void {
    this.work();
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();

  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };

  fire(event: T): void {
    for (const listener of [...this.listeners]) {
      listener(event);
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query: string,
  ) {}

  static parse(text: string): Uri {
    const [, scheme = "", path = "", query = ""] =
      /^([^:]*):(?:\/\/)?([^?]*)\??(.*)$/.exec(text) ?? [];
    return new Uri(scheme, path, query);
  }

  static file(path: string): Uri {
    return new Uri("file", path, "");
  }

  static from({
    scheme,
    path = "",
    query = "",
  }: {
    scheme: string;
    path?: string;
    query?: string;
  }): Uri {
    return new Uri(scheme, path, query);
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    return `${this.scheme}://${this.path}${this.query ? `?${this.query}` : ""}`;
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class TextEdit {
  constructor(
    readonly range: Range,
    readonly newText: string,
  ) {}

  static delete(range: Range): TextEdit {
    return new TextEdit(range, "");
  }
}

export class MarkdownString {
  value = "";

  appendText(text: string): this {
    this.value += text;
    return this;
  }
}

export class CancellationTokenSource {
  readonly token = {
    isCancellationRequested: false,
    onCancellationRequested: new EventEmitter<void>().event,
  };
}

export class TabInputTextDiff {
  constructor(
    readonly original: Uri,
    readonly modified: Uri,
  ) {}
}

export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 } as const;
export const StatusBarAlignment = { Left: 1, Right: 2 } as const;
export const OverviewRulerLane = { Left: 1, Center: 2, Right: 4 } as const;
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 } as const;
export const QuickPickItemKind = { Separator: -1, Default: 0 } as const;
export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 } as const;
export const DecorationRangeBehavior = { OpenOpen: 0, ClosedClosed: 1 } as const;
