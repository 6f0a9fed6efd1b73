/** Takes a finished job's edits into the document: checked, and as one undo step. */

import type * as vscode from "vscode";
import type { Canvas } from "../canvas/canvas";
import type { Rooms } from "../canvas/rooms";
import type { Job, Jobs } from "../jobs/book";
import type { CommitParams, CommitResult, Edit } from "../protocol";
import type { Histories } from "../text/histories";
import { openDocument, rangeOf } from "../text/ranges";
import type { Proposals } from "./proposals";

/** How often a commit is made anew where the document moves on under the edit. */
const TRIES = 4;

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
    const asks = params.diffFirst || params.confirm;
    const reason = asks ? await this.refusal(document, params, job) : undefined;
    return reason ? { applied: false, reason } : this.write(document, params, job);
  }

  /** Why the edit is not made, after the user was asked; undefined if they take it.
   *
   * Rejected is the user's word alone: the server asks no second time then.
   */
  private async refusal(
    document: vscode.TextDocument,
    params: CommitParams,
    job: Job | undefined,
  ): Promise<string | undefined> {
    if (job) {
      this.canvas.clear(job);
      await this.rooms.release(job.id);
    }
    const edits = this.current(document, params, job);
    if (!edits || job?.cancelled) {
      return edits ? "cancelled" : "conflict";
    }
    return (await this.proposals.decide(document, edits, params)) ? undefined : "rejected";
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

  /** Where the document moves on under the edit, it is made anew for the document as it is then.
   *
   * The blank lines go with the result only if nobody typed meanwhile: undoing it would else bring
   * them back.
   */
  private async write(
    document: vscode.TextDocument,
    params: CommitParams,
    job: Job | undefined,
  ): Promise<CommitResult> {
    const { jobId } = params;
    for (let tries = 0; tries < TRIES && !job?.cancelled; tries += 1) {
      if (!this.continues(jobId, job)) {
        await this.rooms.release(jobId);
      }
      await this.rooms.rest(document);
      const edits = this.current(document, params, job);
      if (!edits) {
        return { applied: false, reason: "conflict" };
      }
      const stops = { before: !this.continues(jobId, job), after: true };
      const writing = this.rooms.write(jobId, document, edits, stops);
      if (job) {
        this.canvas.clear(job);
      }
      if (await writing) {
        return { applied: true, version: document.version };
      }
    }
    return { applied: false, reason: job?.cancelled ? "cancelled" : "refused" };
  }

  /** Whether the result belongs to the undo step that our own edits have begun. */
  private continues(jobId: string, job: Job | undefined): boolean {
    return this.rooms.untouched(jobId) || job?.streamed === true;
  }
}
