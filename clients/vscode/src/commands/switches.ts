/** Turns Retouch on and off, and chooses its Python. All of it is settings. */

import * as vscode from "vscode";
import { isEnabled, isOnFor, languages, write } from "../settings";
import { brief } from "../view/messages";

export async function toggleEnabled(): Promise<void> {
  const enable = !isEnabled();
  await write("enable", enable);
  brief(enable ? "turned on" : "turned off");
}

export async function toggleLanguage(): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language) {
    const on = !isOnFor(language);
    await write("languages", { ...languages(), [language]: on });
    brief(`${on ? "on" : "off"} for ${language}`);
  }
}

/** The change of the setting starts the server. */
export async function choosePython(): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: "The Python in which Retouch is installed",
      openLabel: "Use this Python",
    })) ?? [];
  if (file) {
    await write("python", file.fsPath);
  }
}
