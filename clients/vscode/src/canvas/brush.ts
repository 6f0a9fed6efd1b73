/** Draws rows with decorations: the old text is hidden, the row's text is put behind it. */

import * as vscode from "vscode";
import type { Brush } from "./canvas";
import { pictureOf } from "./css";
import type { Row } from "./rows";

export class CssBrush implements Brush, vscode.Disposable {
  private readonly area = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("retouch.canvasBackground"),
    overviewRulerColor: new vscode.ThemeColor("retouch.mask"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly hidden = vscode.window.createTextEditorDecorationType({
    textDecoration: "none;display:none",
  });
  private readonly text = vscode.window.createTextEditorDecorationType({});
  private readonly painted = new WeakSet<vscode.TextEditor>();

  paint(editor: vscode.TextEditor, rows: readonly Row[]): void {
    if (rows.length === 0 && !this.painted.has(editor)) {
      return;
    }
    this.painted.add(editor);
    const tabSize = typeof editor.options.tabSize === "number" ? editor.options.tabSize : 4;
    editor.setDecorations(
      this.area,
      rows.map(({ line }) => new vscode.Range(line, 0, line, 0)),
    );
    editor.setDecorations(
      this.hidden,
      rows.map(({ line, column, hideTo }) => new vscode.Range(line, column, line, hideTo)),
    );
    editor.setDecorations(
      this.text,
      rows.filter(({ runs }) => runs.length > 0).map((row) => attachment(row, tabSize)),
    );
  }

  dispose(): void {
    this.area.dispose();
    this.hidden.dispose();
    this.text.dispose();
  }
}

function attachment(row: Row, tabSize: number): vscode.DecorationOptions {
  const { text, css } = pictureOf(row.runs, row.column, tabSize);
  return {
    range: new vscode.Range(row.line, row.hideTo, row.line, row.hideTo),
    renderOptions: { after: { contentText: text, textDecoration: css } },
  };
}
