/** Which Python runs the language server: the first in a fixed order that has Retouch. */

import { homedir } from "node:os";
import * as path from "node:path";
import type { Probe } from "./probe";

/** One place to look, in the order of the README. */
export interface Source {
  readonly name: string;
  /** A source that was named by the user: if it fails, no other is tried. */
  readonly binding: boolean;
  candidates(): Promise<readonly string[]>;
}

export interface Found {
  readonly python: string;
  readonly version: string;
  readonly source: string;
}

/** A Python that was tried in vain. */
export interface Attempt {
  readonly source: string;
  readonly python: string;
  readonly why: string;
}

export interface Missing {
  readonly attempts: readonly Attempt[];
}

export async function findPython(
  sources: readonly Source[],
  probe: Probe,
): Promise<Found | Missing> {
  const attempts: Attempt[] = [];
  for (const source of sources) {
    const candidates = await candidatesOf(source, attempts);
    for (const python of candidates) {
      const verdict = await probe(python);
      if (verdict.ok) {
        return { python, version: verdict.version, source: source.name };
      }
      attempts.push({ source: source.name, python, why: verdict.why });
    }
    if (source.binding && candidates.length > 0) {
      break;
    }
  }
  return { attempts };
}

/** The candidates of a source; that it could not be asked is an attempt in vain. */
async function candidatesOf(source: Source, attempts: Attempt[]): Promise<readonly string[]> {
  try {
    return await source.candidates();
  } catch (error) {
    attempts.push({ source: source.name, python: source.name, why: String(error) });
    return [];
  }
}

/** `~/x` as an absolute path; anything else as it is. */
export function expanded(python: string): string {
  return /^~[/\\]/.test(python) ? path.join(homedir(), python.slice(2)) : python;
}
