/** The life of the language server: found, started, stopped, started again. Owns the client. */

import * as vscode from "vscode";
import { type LanguageClient, type Middleware, State } from "vscode-languageclient/node";
import { type Link, NotRunning } from "../link";
import type { Notifications, Requests } from "../protocol";
import { findPython, type Missing } from "../python/find";
import { probe } from "../python/probe";
import { sources } from "../python/sources";
import { pythonSetting } from "../settings";
import { createClient } from "./client";
import { Turns } from "./turns";

export type Phase = "starting" | "running" | "stopped" | "missing" | "failed";

/** Sets the handlers of one client; called before it starts. */
export type Wire = (client: LanguageClient) => void;

export class Session implements Link, vscode.Disposable {
  private client: LanguageClient | undefined;
  private current: Phase = "stopped";
  private readonly turns = new Turns((error) => {
    this.log.error(`The language server could not be started: ${String(error)}`);
    this.enter("failed");
  });
  private readonly changed = new vscode.EventEmitter<Phase>();
  readonly onPhase = this.changed.event;
  /** What was tried when no Python was found. */
  attempts: Missing["attempts"] = [];
  /** Where the running server came from, in words. */
  origin = "";

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly middleware: () => Middleware,
    private readonly wire: Wire,
  ) {}

  get phase(): Phase {
    return this.current;
  }

  get ready(): boolean {
    return this.current === "running";
  }

  /** Starts the server, in place of one that runs. Never rejects: `phase` tells how it went. */
  restart(): Promise<void> {
    return this.turns.take(async () => {
      await this.shut();
      await this.open();
    });
  }

  stop(): Promise<void> {
    return this.turns.take(() => this.shut());
  }

  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M][0],
  ): Promise<Requests[M][1]> {
    if (!this.client || !this.ready) {
      throw new NotRunning();
    }
    return this.client.sendRequest<Requests[M][1]>(method, params);
  }

  notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    if (this.client && this.ready) {
      this.client.sendNotification(method, params).catch((error: unknown) => {
        this.log.warn(`${method} could not be sent: ${String(error)}`);
      });
    }
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async open(): Promise<void> {
    this.enter("starting");
    const found = await findPython(sources(pythonSetting()), probe);
    if (!("python" in found)) {
      this.attempts = found.attempts;
      for (const { source, python, why } of found.attempts) {
        this.log.warn(`${python} (${source}): ${why}`);
      }
      this.enter("missing");
      return;
    }
    this.origin = `${found.python} (${found.source}), Retouch ${found.version}`;
    this.log.info(`Starting the language server with ${this.origin}`);
    await this.launch(createClient(found.python, this.log, this.middleware()));
  }

  private async launch(client: LanguageClient): Promise<void> {
    this.client = client;
    this.wire(client);
    client.onDidChangeState(({ newState }) => this.follow(client, newState));
    try {
      await client.start();
    } catch (error) {
      this.log.error(`The language server did not start: ${String(error)}`);
      this.enter("failed");
    }
  }

  private follow(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      this.enter("running");
    } else if (state === State.Starting) {
      this.enter("starting");
    } else if (this.current !== "failed") {
      this.enter(state === State.StartFailed ? "failed" : "stopped");
    }
  }

  private async shut(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.enter("stopped");
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`The language server did not stop in order: ${String(error)}`);
    }
  }

  private enter(phase: Phase): void {
    if (phase !== this.current) {
      this.current = phase;
      this.changed.fire(phase);
    }
  }
}
