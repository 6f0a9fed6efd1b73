/** Changes a document in one step. */

import * as vscode from "vscode";
import type { Edit } from "../protocol";
import { editorsOf, rangeOf } from "./ranges";

export interface UndoStops {
  readonly before: boolean;
  readonly after: boolean;
}

/** False if the editor refused, for example since the document changed meanwhile.
 *
 * A closed document is left alone: nothing would check that the file is still as it was.
 */
export async function apply(
  document: vscode.TextDocument,
  edits: readonly Edit[],
  stops: UndoStops,
): Promise<boolean> {
  if (document.isClosed) {
    return false;
  }
  const editor = editorsOf(document)[0];
  if (editor) {
    return editIn(editor, edits, stops);
  }
  const edit = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) {
    edit.replace(document.uri, rangeOf(range), newText);
  }
  return vscode.workspace.applyEdit(edit);
}

/** False also if the editor is closed meanwhile, for which it rejects; what else goes wrong is told. */
async function editIn(
  editor: vscode.TextEditor,
  edits: readonly Edit[],
  stops: UndoStops,
): Promise<boolean> {
  try {
    return await editor.edit(
      (builder) => {
        for (const { range, newText } of edits) {
          builder.replace(rangeOf(range), newText);
        }
      },
      { undoStopBefore: stops.before, undoStopAfter: stops.after },
    );
  } catch (error) {
    if (!editor.document.isClosed && vscode.window.visibleTextEditors.includes(editor)) {
      throw error;
    }
    return false;
  }
}
