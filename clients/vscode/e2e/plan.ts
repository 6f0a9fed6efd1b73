/** Where the editor, the browser and the server are; the caller tells it in RETOUCH_E2E. */

export interface Plan {
  /** A folder with node_modules/code-server and the Node that it wants. */
  readonly codeServer: string;
  readonly chromium: string;
  readonly vsix: string;
  /** What `retouch.python` is set to. */
  readonly python: string;
  /** Where the scripted server writes what it is asked. */
  readonly log: string;
}

export function readPlan(): Plan {
  const text = process.env["RETOUCH_E2E"];
  if (!text) {
    throw new Error("RETOUCH_E2E is not set; run it by pytest tests/clients/vscode -m vscode");
  }
  return JSON.parse(text) as Plan;
}
