/** What can be done to a job that runs: stop it, or take what is there. */

import * as vscode from "vscode";
import type { Job, Jobs } from "../jobs/book";
import type { Link } from "../link";
import { brief, messageOf, warn } from "../view/messages";

export class Running {
  constructor(
    private readonly link: Link,
    private readonly jobs: Jobs,
  ) {}

  /** Stops the active document's newest job, else every job; or the one that is named. */
  cancel(id?: string): void {
    const here = this.here();
    const named = id === undefined ? undefined : this.jobs.get(id);
    const chosen = named ? [named] : here ? [here] : this.jobs.all;
    for (const job of chosen) {
      this.jobs.cancel(job);
      this.link.notify("retouch/cancel", { jobId: job.id, reason: "user" });
    }
  }

  /** Ends the active document's newest job with the text that it has now. */
  async accept(): Promise<void> {
    const job = this.here();
    if (!job) {
      return;
    }
    try {
      const { ok, reason } = await this.link.request("retouch/accept", { jobId: job.id });
      if (!ok) {
        brief(reason ?? "there is nothing to take yet");
      }
    } catch (error) {
      warn(messageOf(error));
    }
  }

  here(): Job | undefined {
    return this.jobs.latest(vscode.window.activeTextEditor?.document.uri.toString());
  }
}
