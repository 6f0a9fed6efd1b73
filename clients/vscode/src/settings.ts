/** The settings `retouch.*`, read in one place. */

import * as vscode from "vscode";

export const SECTION = "retouch";

export type Live = "overlay" | "buffer" | "off";
export type Trigger = "auto" | "manual";
export type Languages = Readonly<Record<string, boolean>>;

/** What the language server is told; the names are those of its contract. */
export interface ServerSettings {
  readonly enable: boolean;
  readonly languages: Languages;
  readonly ignore: readonly string[];
  readonly trigger: Trigger;
  readonly debounceMs: number;
  readonly timeoutMs: number;
  readonly maxLines: number;
  readonly alternatives: number;
  readonly maxFileKb: number;
  readonly live: Live;
  readonly fps: number;
  readonly diffFirst: boolean;
  readonly policy: string | null;
  readonly steps: number | null;
  readonly schemas: readonly unknown[];
  readonly syntax: boolean;
  readonly server: { readonly host: string; readonly port: number | null };
  readonly statusBar: boolean;
  readonly logLevel: string;
}

/** The values in force; the defaults are those of package.json. */
export function serverSettings(): ServerSettings {
  const read = reader();
  return {
    enable: read("enable", true),
    languages: languages(),
    ignore: read("ignore", [] as string[]),
    trigger: read<Trigger>("trigger", "auto"),
    debounceMs: read("debounceMs", 75),
    timeoutMs: read("timeoutMs", 1500),
    maxLines: read("maxLines", 12),
    alternatives: read("alternatives", 3),
    maxFileKb: read("maxFileKb", 512),
    live: read<Live>("live", "overlay"),
    fps: read("fps", 12),
    diffFirst: read("diffFirst", false),
    policy: read<string | null>("policy", null),
    steps: read<number | null>("steps", null),
    schemas: read("schemas", [] as unknown[]),
    syntax: read("syntax", true),
    server: {
      host: read("server.host", "127.0.0.1"),
      port: read<number | null>("server.port", null),
    },
    statusBar: showsStatusBar(),
    logLevel: read("logLevel", "warning"),
  };
}

export function languages(): Languages {
  return reader()<Languages>("languages", { "*": true, markdown: false, plaintext: false });
}

export function pythonSetting(): string {
  return String(reader()<unknown>("python", "") ?? "").trim();
}

export function showsStatusBar(): boolean {
  return reader()("statusBar", true);
}

export function isEnabled(): boolean {
  return reader()("enable", true);
}

/** Whether Retouch is on for a language: its own entry, else that of `*`. */
export function isOnFor(language: string): boolean {
  const table = languages();
  return table[language] ?? table["*"] ?? true;
}

/** Whether files are saved without being asked to, so that blank lines could reach the disk. */
export function savesByItself(document: vscode.TextDocument): boolean {
  const mode = vscode.workspace.getConfiguration("files", document).get<string>("autoSave", "off");
  return mode !== "off" && document.uri.scheme === "file";
}

/** Writes a setting where it is set already, else for the user. */
export async function write(name: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const found = configuration.inspect(name);
  const target =
    found?.workspaceValue === undefined
      ? vscode.ConfigurationTarget.Global
      : vscode.ConfigurationTarget.Workspace;
  await configuration.update(name, value, target);
}

function reader(): <T>(name: string, otherwise: T) => T {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return (name, otherwise) => configuration.get(name, otherwise);
}
