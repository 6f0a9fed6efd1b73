/** The heat view: doubtful tokens of standing text are coloured until the text changes. */

import * as vscode from "vscode";
import type { Link } from "../link";
import type { Heat, HeatToken } from "../protocol";
import { spanOf } from "../text/places";
import { rangeOf } from "../text/ranges";
import { byLevel, LEVELS, told } from "./levels";

export class HeatView implements vscode.Disposable {
  private readonly looks = LEVELS.map((_, index) =>
    vscode.window.createTextEditorDecorationType({
      backgroundColor: new vscode.ThemeColor(`retouch.heat${index + 1}`),
      borderRadius: "2px",
      overviewRulerColor: new vscode.ThemeColor(`retouch.heat${index + 1}`),
      overviewRulerLane: vscode.OverviewRulerLane.Right,
    }),
  );
  private readonly shown = new Map<vscode.TextDocument, Heat>();
  private readonly listeners = vscode.Disposable.from(
    ...this.looks,
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) {
        this.hide(document);
      }
    }),
    vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.map((one) => this.draw(one))),
  );

  constructor(private readonly link: Link) {}

  /** Shows the heat of the selection, or of what is on the screen; hides it if it is shown. */
  async toggle(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    if (this.shown.has(document)) {
      this.hide(document);
      return;
    }
    const range = editor.selection.isEmpty ? onScreen(editor) : editor.selection;
    const textDocument = { uri: document.uri.toString(), version: document.version };
    const heat = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: "Retouch: measuring confidence" },
      () => this.link.request("retouch/heat", { textDocument, range: spanOf(range) }),
    );
    if (heat.version === document.version) {
      this.shown.set(document, heat);
      this.redraw(document);
    }
  }

  hide(document: vscode.TextDocument): void {
    if (this.shown.delete(document)) {
      this.redraw(document);
    }
  }

  dispose(): void {
    this.listeners.dispose();
  }

  private redraw(document: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        this.draw(editor);
      }
    }
  }

  private draw(editor: vscode.TextEditor): void {
    const levels = byLevel(this.shown.get(editor.document)?.tokens ?? []);
    for (const [index, look] of this.looks.entries()) {
      editor.setDecorations(look, (levels[index] ?? []).map(decoration));
    }
  }
}

function decoration(token: HeatToken): vscode.DecorationOptions {
  const hoverMessage = new vscode.MarkdownString().appendText(told(token));
  return { range: rangeOf(token.range), hoverMessage };
}

function onScreen(editor: vscode.TextEditor): vscode.Range {
  const [first] = editor.visibleRanges;
  const last = editor.visibleRanges[editor.visibleRanges.length - 1];
  return first && last ? new vscode.Range(first.start, last.end) : editor.selection;
}
