/** What changed in a document lately, so that spans of an older version can be found in this one. */

import type { Span } from "../protocol";
import { type Change, shifted } from "./places";

/** Changes that made a version, in the order in which they apply. */
interface Step {
  readonly version: number;
  readonly changes: readonly Change[];
}

const KEPT = 500;

export class History {
  private readonly steps: Step[] = [];
  private forgotten: number;

  /** @param version the document's version when the record begins */
  constructor(private version: number) {
    this.forgotten = version;
  }

  record(version: number, changes: readonly Change[]): void {
    this.version = version;
    this.steps.push({ version, changes });
    while (this.steps.length > KEPT) {
      this.forgotten = this.steps.shift()?.version ?? this.forgotten;
    }
  }

  /** `span` of `version` in the newest text; undefined if it was touched or is out of memory. */
  bring(span: Span, version: number): Span | undefined {
    if (version < this.forgotten || version > this.version) {
      return undefined;
    }
    let now: Span | undefined = span;
    for (const change of this.since(version)) {
      now = now && shifted(now, change);
    }
    return now;
  }

  private *since(version: number): Iterable<Change> {
    for (const step of this.steps) {
      if (step.version > version) {
        yield* step.changes;
      }
    }
  }
}
