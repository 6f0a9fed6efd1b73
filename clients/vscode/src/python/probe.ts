/** Asks a Python whether Retouch is installed in it. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";

/** Isolated, so nothing in a workspace is imported; finds the server without importing it. */
const QUESTION = `
import importlib.metadata, importlib.util, sys
version = importlib.metadata.version("retouch")
sys.exit("retouch " + version + " has no language server") if importlib.util.find_spec("lsp_server") is None else print(version)
`;
const PATIENCE_MS = 20_000;

export type Verdict =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly why: string };

export type Probe = (python: string) => Promise<Verdict>;

export function probe(python: string): Promise<Verdict> {
  return new Promise((resolve) => {
    const options = { timeout: PATIENCE_MS, cwd: homedir(), windowsHide: true, maxBuffer: 65_536 };
    execFile(python, ["-I", "-c", QUESTION], options, (error, stdout, stderr) => {
      resolve(
        error ? { ok: false, why: reason(error, stderr) } : { ok: true, version: stdout.trim() },
      );
    });
  });
}

function reason(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.killed) {
    return `no answer within ${PATIENCE_MS / 1000} s`;
  }
  if (error.code === "ENOENT") {
    return "there is no such program";
  }
  const last = stderr.trim().split("\n").pop() ?? "";
  if (last.includes("PackageNotFoundError")) {
    return "Retouch is not installed in it";
  }
  return last || error.message;
}
