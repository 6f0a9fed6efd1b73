/** Between the editor's ranges and plain spans; finding open documents and their editors. */

import * as vscode from "vscode";
import type { FormattingOptions, Span } from "../protocol";

export function rangeOf({ start, end }: Span): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function openDocument(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}

export function editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
}

/** The whole lines of a selection without the last line's end, so that a line break stays outside. */
export function withoutLastBreak(document: vscode.TextDocument, range: Span): Span {
  const { start, end } = range;
  if (end.character > 0 || end.line <= start.line) {
    return range;
  }
  const line = end.line - 1;
  return { start, end: { line, character: document.lineAt(line).text.length } };
}

export function formattingOf(editor: vscode.TextEditor): FormattingOptions {
  const { tabSize, insertSpaces } = editor.options;
  return {
    tabSize: typeof tabSize === "number" ? tabSize : 4,
    insertSpaces: insertSpaces !== false,
  };
}
