/** Where a Python with Retouch in it may be, without asking it. */

import * as fs from "node:fs/promises";
import * as path from "node:path";

/** The interpreters that the first `retouch` on `searchPath` may belong to, likeliest first. */
export async function besideProgram(searchPath: string, windows: boolean): Promise<string[]> {
  const program = await onPath(windows ? "retouch.exe" : "retouch", searchPath);
  if (!program) {
    return [];
  }
  const named = windows ? undefined : await interpreterLine(program);
  const folder = path.dirname(await fs.realpath(program));
  const names = windows ? ["python.exe", path.join("..", "python.exe")] : ["python3", "python"];
  const beside = names.map((name) => path.join(folder, name));
  const found = named ? [named, ...beside] : beside;
  return [...new Set(await present(found))];
}

/** The first file `name` in an absolute folder of `searchPath`. */
export async function onPath(name: string, searchPath: string): Promise<string | undefined> {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const found = await present(folders.map((folder) => path.join(folder, name)));
  return found[0];
}

/** The absolute path behind `#!` of a script; undefined for anything else. */
async function interpreterLine(program: string): Promise<string | undefined> {
  const file = await fs.open(program, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    const first = buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0] ?? "";
    const named = first.startsWith("#!") ? first.slice(2).trim() : "";
    return /^\/.*python[\d.]*$/.test(named) ? named : undefined;
  } finally {
    await file.close();
  }
}

async function present(files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(files.map(isFile));
  return files.filter((_, index) => found[index]);
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
