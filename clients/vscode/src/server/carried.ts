/** The server's commands, carried out here: in the document that they name. */

import * as vscode from "vscode";
import type { Running } from "../commands/running";
import type { Starter } from "../commands/start";
import { toggleEnabled } from "../commands/switches";
import { stream } from "../edits/stream";
import type { Jobs } from "../jobs/book";
import { openDocument } from "../text/ranges";
import { warn } from "../view/messages";
import type { Carried } from "./middleware";

export function carriedBy(starter: Starter, running: Running, jobs: Jobs): Carried {
  return {
    rewrite: (uri, range, instruction) =>
      inDocument(uri, (editor) =>
        starter.rewrite(editor, { range, ...(instruction === undefined ? {} : { instruction }) }),
      ),
    revise: (uri, range, strength) =>
      inDocument(uri, (editor) =>
        starter.revise(editor, { range, ...(strength === undefined ? {} : { strength }) }),
      ),
    fillHoles: (uri, range) => inDocument(uri, (editor) => starter.fillHoles(editor, range)),
    toggle: toggleEnabled,
    cancel: (id) => running.cancel(id),
    stream: (edits) => stream(edits, jobs),
  };
}

async function inDocument(
  uri: string,
  work: (editor: vscode.TextEditor) => Promise<void>,
): Promise<void> {
  const document = openDocument(uri);
  if (document) {
    await work(await vscode.window.showTextDocument(document));
  } else {
    warn("that file isn't open any more");
  }
}
