/** Asks for the instruction of a rewrite. */

import * as vscode from "vscode";

const MOST_CHARACTERS = 2000;

/** Undefined if the user turned away; empty if they have no wish. */
export function askInstruction(fill: boolean): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: fill ? "Retouch: fill in here" : "Retouch: rewrite the selection",
    prompt: "What should it do? Enter without a word leaves it to the model.",
    placeHolder: fill ? "read the file line by line" : "handle an empty list",
    validateInput: (text) =>
      text.length > MOST_CHARACTERS ? `At most ${MOST_CHARACTERS} characters` : undefined,
  });
}
