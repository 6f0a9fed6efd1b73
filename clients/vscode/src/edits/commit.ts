/** Takes a finished job's edits into the document: checked, and as one undo step. */

import type * as vscode from "vscode";
import type { Canvas } from "../canvas/canvas";
import type { Rooms } from "../canvas/rooms";
import type { Job, Jobs } from "../jobs/book";
import type { CommitParams, CommitResult, Edit } from "../protocol";
import { apply } from "../text/apply";
import type { Histories } from "../text/histories";
import { openDocument, rangeOf } from "../text/ranges";
import type { Proposals } from "./proposals";

export class Commits {
  constructor(
    private readonly jobs: Jobs,
    private readonly histories: Histories,
    private readonly rooms: Rooms,
    private readonly canvas: Canvas,
    private readonly proposals: Proposals,
  ) {}

  /** Never half-applies; a refusal has a reason: closed, cancelled, rejected, conflict, refused. */
  async take(params: CommitParams): Promise<CommitResult> {
    const document = openDocument(params.uri);
    const job = this.jobs.get(params.jobId);
    if (!document || job?.cancelled) {
      return { applied: false, reason: document ? "cancelled" : "closed" };
    }
    if (job) {
      await this.canvas.settle(job);
    }
    if ((params.diffFirst || params.confirm) && !(await this.approved(document, params, job))) {
      return { applied: false, reason: "rejected" };
    }
    await this.rooms.rest(document);
    const edits = this.current(document, params, job);
    if (!edits) {
      return { applied: false, reason: "conflict" };
    }
    return this.write(document, edits, params.jobId, job);
  }

  private async approved(
    document: vscode.TextDocument,
    params: CommitParams,
    job: Job | undefined,
  ): Promise<boolean> {
    if (job) {
      this.canvas.clear(job);
      await this.rooms.release(job.id);
    }
    const edits = this.current(document, params, job);
    return edits !== undefined && this.proposals.decide(document, edits, params);
  }

  /** The edits in the document as it is now; undefined if what they replace has changed. */
  private current(
    document: vscode.TextDocument,
    params: CommitParams,
    job: Job | undefined,
  ): Edit[] | undefined {
    if (job && !this.stands(document, job)) {
      return undefined;
    }
    const edits: Edit[] = [];
    for (const { range, newText } of params.edits) {
      const now = this.histories.bring(document, range, params.version);
      if (!now) {
        return undefined;
      }
      edits.push({ range: now, newText });
    }
    return edits;
  }

  /** Whether the text that the job was asked to change is still what it was. */
  private stands(document: vscode.TextDocument, { origin, streamed }: Job): boolean {
    if (!origin || streamed) {
      return true;
    }
    return origin.spans.every(({ range, text }) => {
      const now = this.histories.bring(document, range, origin.version);
      return now !== undefined && document.getText(rangeOf(now)) === text;
    });
  }

  private async write(
    document: vscode.TextDocument,
    edits: readonly Edit[],
    jobId: string,
    job: Job | undefined,
  ): Promise<CommitResult> {
    const continues = this.rooms.untouched(jobId) || job?.streamed === true;
    const blank = this.rooms.take(jobId).map((range) => ({ range, newText: "" }));
    const writing = apply(document, [...edits, ...blank], { before: !continues, after: true });
    if (job) {
      this.canvas.clear(job);
    }
    const applied = await writing;
    if (!applied && blank.length > 0) {
      await apply(document, blank, { before: false, after: true });
    }
    return applied ? { applied, version: document.version } : { applied, reason: "refused" };
  }
}
