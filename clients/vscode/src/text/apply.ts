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
    const done = editor.edit(
      (builder) => {
        for (const { range, newText } of edits) {
          builder.replace(rangeOf(range), newText);
        }
      },
      { undoStopBefore: stops.before, undoStopAfter: stops.after },
    );
    return done.then(undefined, () => false); // it rejects if the editor is closed meanwhile
  }
  const edit = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) {
    edit.replace(document.uri, rangeOf(range), newText);
  }
  return vscode.workspace.applyEdit(edit);
}
