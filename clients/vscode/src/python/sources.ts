/** The places where Python is looked for, in order. The README tells the same order. */

import * as vscode from "vscode";
import { expanded, type Source } from "./find";
import { besideProgram } from "./lookup";

const PYTHON_EXTENSION = "ms-python.python";

/** As much of the Python extension's interface as is used here. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  };
}

export function sources(setting: string): Source[] {
  const windows = process.platform === "win32";
  return [
    {
      name: "the setting retouch.python",
      binding: true,
      candidates: async () => (setting ? [expanded(setting)] : []),
    },
    {
      name: "the program retouch on PATH",
      binding: false,
      candidates: () => besideProgram(process.env["PATH"] ?? "", windows),
    },
    { name: "the workspace's interpreter", binding: false, candidates: workspaceInterpreter },
    {
      name: "python3 on PATH",
      binding: false,
      candidates: async () => (windows ? ["python"] : ["python3"]),
    },
  ];
}

/** The interpreter that is selected in the Python extension, if the workspace is trusted. */
async function workspaceInterpreter(): Promise<string[]> {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  if (!vscode.workspace.isTrusted || !extension) {
    return [];
  }
  const api = await extension.activate();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const selected = api.environments?.getActiveEnvironmentPath(folder).path;
  return selected ? [selected] : [];
}
