/** The editor of the scripted tests, what its server was asked, and the live canvas in it. */

import { existsSync, readFileSync } from "node:fs";
import { Box } from "./box";
import { GREET, HOLES, STATS } from "./files";
import { readPlan } from "./plan";

export const plan = readPlan();
const MASK = "▒";
/** There once it is open. */
export let box: Box;

export async function open(): Promise<void> {
  const names = [
    "ghost.py",
    "word.py",
    "live.py",
    "cancel.py",
    "long.py",
    "heat.py",
    "diff.py",
    "pin.py",
    "action.py",
  ];
  const files = Object.fromEntries(names.map((name) => [name, STATS]));
  files["crlf.py"] = STATS.replaceAll("\n", "\r\n");
  files["greet.py"] = GREET;
  files["holes.py"] = HOLES;
  files["stats.py"] = `"""Numbers."""\n\n${STATS}`;
  files["notes.md"] = "    return \n";
  box = await Box.open({ plan, files });
  await box.status("Ready");
}

/** What the server was asked, oldest first. */
export function asked(method?: string): { method: string; params: Record<string, unknown> }[] {
  const lines = existsSync(plan.log) ? readFileSync(plan.log, "utf8").trim().split("\n") : [];
  const all = lines.map((line) => JSON.parse(line));
  return method ? all.filter((message) => message.method === method) : all;
}

export async function live(
  name: string,
  first: number,
  last: number,
  wish: string,
): Promise<string[]> {
  await box.show(name);
  await box.selectLines(first, last);
  await box.press("Control+I");
  await box.answer(wish);
  return box.until(
    () => box.rows(),
    (rows) => rows.some((row) => row.includes(MASK)) && rows.some((row) => /\w/.test(row)),
    "a canvas half cleared",
  );
}

export async function noRows(): Promise<void> {
  await box.until(
    () => box.rows(),
    (rows) => rows.length === 0,
    "the canvas to go",
  );
}
