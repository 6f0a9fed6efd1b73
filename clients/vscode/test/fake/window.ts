/** The editor's workspace, window and commands; `fake` is what tests set and look at. */

import {
  type Disposable,
  EventEmitter,
  Disposable as FakeDisposable,
  Range,
  type Uri,
} from "./basics";
import {
  changedDocument,
  documentAt,
  type FakeDocument,
  FakeEditor,
  type WorkspaceEdit,
} from "./documents";

type Handler = (...args: never[]) => unknown;

interface Shown {
  readonly kind: "info" | "warning" | "error" | "brief" | "input" | "pick";
  readonly text: string;
}

const openedDocument = new EventEmitter<FakeDocument>();
const closedDocument = new EventEmitter<FakeDocument>();
const willSave = new EventEmitter<unknown>();
const didSave = new EventEmitter<FakeDocument>();
const changedConfiguration = new EventEmitter<unknown>();
const grantedTrust = new EventEmitter<void>();
const visibleEditors = new EventEmitter<readonly FakeEditor[]>();
const activeEditor = new EventEmitter<FakeEditor | undefined>();
const changedTabs = new EventEmitter<unknown>();

const EMITTERS = [
  changedDocument,
  openedDocument,
  closedDocument,
  willSave,
  didSave,
  changedConfiguration,
  grantedTrust,
  visibleEditors,
  activeEditor,
  changedTabs,
];

/** State that tests set and look at. */
export const fake = {
  settings: new Map<string, unknown>(),
  /** Answers that the user will give to messages, boxes and lists, in order. */
  answers: [] as unknown[],
  shown: [] as Shown[],
  executed: [] as { command: string; args: readonly unknown[] }[],
  contexts: new Map<string, unknown>(),
  providers: new Map<string, { provideTextDocumentContent(uri: Uri): string }>(),
  tabs: [] as { input: unknown }[],

  reset(): void {
    for (const table of [fake.settings, fake.contexts, fake.providers]) {
      table.clear();
    }
    for (const list of [fake.answers, fake.shown, fake.executed, fake.tabs]) {
      list.length = 0;
    }
    workspace.textDocuments.length = 0;
    workspace.isTrusted = true;
    window.visibleTextEditors = [];
    window.activeTextEditor = undefined;
    handlers.clear();
    for (const emitter of EMITTERS) {
      emitter.dispose();
    }
  },

  open(path: string, text: string, language?: string): FakeEditor {
    const document = documentAt(path, text, language);
    workspace.textDocuments.push(document);
    openedDocument.fire(document);
    const editor = new FakeEditor(document);
    window.visibleTextEditors = [editor];
    window.activeTextEditor = editor;
    visibleEditors.fire(window.visibleTextEditors);
    activeEditor.fire(editor);
    return editor;
  },

  type(document: FakeDocument, range: [number, number, number, number], text: string): void {
    document.change([{ range: new Range(...range), text }]);
  },

  /** Saves as the editor does: listeners may hand in edits, which are made after `delay`. */
  async save(document: FakeDocument, delay?: Promise<void>): Promise<string> {
    const waiting: Promise<readonly { range: Range; newText: string }[]>[] = [];
    willSave.fire({
      document,
      waitUntil: (edits: Promise<readonly { range: Range; newText: string }[]>) =>
        waiting.push(edits),
    });
    await delay;
    for (const edits of await Promise.all(waiting)) {
      document.change(edits.map(({ range, newText }) => ({ range, text: newText })));
    }
    didSave.fire(document);
    return document.getText();
  },

  configured(...names: string[]): void {
    changedConfiguration.fire({
      affectsConfiguration: (asked: string) =>
        names.some((name) => `${name}.`.startsWith(`${asked}.`)),
    });
  },

  closeTab(input: unknown): void {
    changedTabs.fire({ opened: [], changed: [], closed: [{ input }] });
  },
};

export const workspace = {
  textDocuments: [] as FakeDocument[],
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  isTrusted: true,
  onDidOpenTextDocument: openedDocument.event,
  onDidCloseTextDocument: closedDocument.event,
  onDidChangeTextDocument: changedDocument.event,
  onWillSaveTextDocument: willSave.event,
  onDidSaveTextDocument: didSave.event,
  onDidChangeConfiguration: changedConfiguration.event,
  onDidGrantWorkspaceTrust: grantedTrust.event,

  getConfiguration(section: string) {
    const key = (name: string): string => `${section}.${name}`;
    return {
      get: (name: string, otherwise: unknown) => fake.settings.get(key(name)) ?? otherwise,
      inspect: (name: string) => ({ globalValue: fake.settings.get(key(name)) }),
      update: async (name: string, value: unknown) => {
        fake.settings.set(key(name), value);
        fake.configured(key(name));
      },
    };
  },

  async applyEdit(edit: WorkspaceEdit): Promise<boolean> {
    for (const document of workspace.textDocuments) {
      const mine = edit.changes.filter(({ uri }) => uri === document.uri);
      if (mine.length > 0) {
        document.change(mine);
      }
    }
    return true;
  },

  registerTextDocumentContentProvider(
    scheme: string,
    provider: { provideTextDocumentContent(uri: Uri): string },
  ): Disposable {
    fake.providers.set(scheme, provider);
    return new FakeDisposable(() => fake.providers.delete(scheme));
  },
};

function message(kind: Shown["kind"]) {
  return async (text: string, ...rest: unknown[]): Promise<unknown> => {
    fake.shown.push({ kind, text });
    return rest.length > 0 ? fake.answers.shift() : undefined;
  };
}

export const window = {
  visibleTextEditors: [] as FakeEditor[],
  activeTextEditor: undefined as FakeEditor | undefined,
  onDidChangeVisibleTextEditors: visibleEditors.event,
  onDidChangeActiveTextEditor: activeEditor.event,
  showInformationMessage: message("info"),
  showWarningMessage: message("warning"),
  showErrorMessage: message("error"),
  setStatusBarMessage: (text: string) => fake.shown.push({ kind: "brief", text }),
  createTextEditorDecorationType: (look: unknown) => ({ look, dispose: () => undefined }),
  withProgress: (_: unknown, work: (progress: unknown, token: unknown) => unknown) =>
    work({}, { onCancellationRequested: new EventEmitter<void>().event }),
  tabGroups: {
    all: [{ tabs: fake.tabs }],
    activeTabGroup: { activeTab: undefined as { input: unknown } | undefined },
    onDidChangeTabs: changedTabs.event,
    close: async (tab: { input: unknown }) => {
      fake.tabs.splice(fake.tabs.indexOf(tab), 1);
    },
  },

  async showInputBox({ title }: { title: string }): Promise<unknown> {
    fake.shown.push({ kind: "input", text: title });
    return fake.answers.shift();
  },

  async showQuickPick(items: readonly { label: string }[]): Promise<unknown> {
    fake.shown.push({ kind: "pick", text: items.map(({ label }) => label).join("\n") });
    const wanted = fake.answers.shift();
    return items.find(({ label }) => typeof wanted === "string" && label.includes(wanted));
  },

  async showTextDocument(document: FakeDocument): Promise<FakeEditor> {
    const editor =
      window.visibleTextEditors.find((one) => one.document === document) ??
      new FakeEditor(document);
    window.activeTextEditor = editor;
    return editor;
  },

  createStatusBarItem: () => ({
    text: "",
    tooltip: "",
    visible: false,
    show(): void {
      this.visible = true;
    },
    hide(): void {
      this.visible = false;
    },
    dispose: () => undefined,
  }),

  createQuickPick: () => new FakeQuickPick(),
};

/** The last list that was made, for tests to press its buttons. */
export class FakeQuickPick {
  static last: FakeQuickPick | undefined;
  items: unknown[] = [];
  activeItems: unknown[] = [];
  selectedItems: unknown[] = [];
  visible = false;
  readonly pressed = new EventEmitter<unknown>();
  readonly accepted = new EventEmitter<void>();
  readonly hidden = new EventEmitter<void>();
  readonly onDidTriggerItemButton = this.pressed.event;
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;

  constructor() {
    FakeQuickPick.last = this;
  }

  show(): void {
    this.visible = true;
  }

  hide(): void {
    if (this.visible) {
      this.visible = false;
      this.hidden.fire();
    }
  }

  dispose(): void {
    this.hide();
  }
}

const handlers = new Map<string, Handler>();

export const commands = {
  registerCommand(name: string, handler: Handler): Disposable {
    handlers.set(name, handler);
    return new FakeDisposable(() => handlers.delete(name));
  },

  async executeCommand(command: string, ...args: unknown[]): Promise<unknown> {
    fake.executed.push({ command, args });
    if (command === "setContext") {
      fake.contexts.set(args[0] as string, args[1]);
    }
    return handlers.get(command)?.(...(args as never[]));
  },
};

export const extensions = {
  getExtension: (_: string): unknown => undefined,
};
