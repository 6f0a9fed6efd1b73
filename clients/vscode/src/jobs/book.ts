/** The jobs that the server works on for us, and the last frames of each. */

import * as vscode from "vscode";
import type { Ended, Frame, Span } from "../protocol";

/** The texts that a job was asked to change, as they were in a version. */
export interface Origin {
  readonly version: number;
  readonly spans: readonly { readonly range: Span; readonly text: string }[];
}

const REMEMBERED = 100;

export class Job {
  /** The newest frame of each hole. */
  readonly frames = new Map<number, Frame>();
  origin: Origin | undefined;
  /** Set once the job has written into the document (live: buffer). */
  streamed = false;
  /** Set once the user has said stop: what still comes is ignored. */
  cancelled = false;
  /** Set once the result is being taken, or the job is over: no more is drawn. */
  settled = false;

  constructor(
    readonly id: string,
    readonly uri: string,
  ) {}
}

export class Jobs implements vscode.Disposable {
  private readonly running = new Map<string, Job>();
  /** The last jobs that ended, so that nothing late brings one back. */
  private readonly past = new Set<string>();
  private readonly framed = new vscode.EventEmitter<{ job: Job; frame: Frame }>();
  private readonly finished = new vscode.EventEmitter<{ job: Job; ended: Ended }>();
  private readonly stopped = new vscode.EventEmitter<Job>();
  private readonly altered = new vscode.EventEmitter<void>();
  readonly onFrame = this.framed.event;
  readonly onEnd = this.finished.event;
  readonly onCancel = this.stopped.event;
  /** A job came or went. */
  readonly onChange = this.altered.event;

  get(id: string): Job | undefined {
    return this.running.get(id);
  }

  get all(): readonly Job[] {
    return [...this.running.values()];
  }

  /** The newest job of a document that was not told to stop. */
  latest(uri: string | undefined): Job | undefined {
    return this.all.filter((job) => job.uri === uri && !job.cancelled).pop();
  }

  /** A job that a request has started; its first frames may be here already. */
  started(id: string, uri: string, origin?: Origin): void {
    const job = this.known(id, uri);
    if (job) {
      job.origin = origin;
    }
  }

  frame(frame: Frame): void {
    const job = this.known(frame.jobId, frame.uri);
    const last = job?.frames.get(frame.hole);
    if (job && !job.cancelled && (!last || frame.seq > last.seq)) {
      job.frames.set(frame.hole, frame);
      this.framed.fire({ job, frame });
    }
  }

  cancel(job: Job): void {
    job.cancelled = true;
    this.stopped.fire(job);
    this.altered.fire();
  }

  ended(ended: Ended): void {
    this.remember(ended.jobId);
    const job = this.running.get(ended.jobId);
    if (job) {
      this.running.delete(ended.jobId);
      this.finished.fire({ job, ended });
      this.altered.fire();
    }
  }

  /** Ends every job, since the server is gone; the next one may use their names again. */
  abandon(): void {
    for (const job of this.all) {
      this.ended({ jobId: job.id, reason: "cancelled" });
    }
    this.past.clear();
  }

  dispose(): void {
    this.framed.dispose();
    this.finished.dispose();
    this.stopped.dispose();
    this.altered.dispose();
  }

  private remember(id: string): void {
    this.past.add(id);
    for (const oldest of this.past) {
      if (this.past.size <= REMEMBERED) {
        break;
      }
      this.past.delete(oldest);
    }
  }

  private known(id: string, uri: string): Job | undefined {
    const found = this.running.get(id);
    if (found || this.past.has(id)) {
      return found;
    }
    const job = new Job(id, uri);
    this.running.set(id, job);
    this.altered.fire();
    return job;
  }
}
