/** The history of every open document, by address. */

import * as vscode from "vscode";
import type { Span } from "../protocol";
import { History } from "./history";
import { spanOf } from "./places";

export class Histories implements vscode.Disposable {
  private readonly known = new Map<string, History>();
  private readonly listeners: vscode.Disposable;

  constructor() {
    for (const document of vscode.workspace.textDocuments) {
      this.begin(document);
    }
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((document) => this.begin(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.known.delete(document.uri.toString());
      }),
      vscode.workspace.onDidChangeTextDocument((event) => this.record(event)),
    );
  }

  /** `span`, as of `version`, in `document` now; undefined if the text there has changed. */
  bring(document: vscode.TextDocument, span: Span, version: number): Span | undefined {
    return this.known.get(document.uri.toString())?.bring(span, version);
  }

  dispose(): void {
    this.listeners.dispose();
    this.known.clear();
  }

  private begin(document: vscode.TextDocument): void {
    this.known.set(document.uri.toString(), new History(document.version));
  }

  private record(event: vscode.TextDocumentChangeEvent): void {
    if (event.contentChanges.length > 0) {
      const changes = event.contentChanges.map(({ range, text }) => ({
        range: spanOf(range),
        text,
      }));
      this.known.get(event.document.uri.toString())?.record(event.document.version, changes);
    }
  }
}
