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

export function formattingOf(editor: vscode.TextEditor): FormattingOptions {
  const { tabSize, insertSpaces } = editor.options;
  return {
    tabSize: typeof tabSize === "number" ? tabSize : 4,
    insertSpaces: insertSpaces !== false,
  };
}
