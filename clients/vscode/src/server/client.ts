/** The language client: how the server is started and what it is told about us. */

import { homedir } from "node:os";
import type { LogOutputChannel } from "vscode";
import {
  type ClientCapabilities,
  type Executable,
  type FeatureState,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  type StaticFeature,
} from "vscode-languageclient/node";
import { ANNOUNCED } from "../protocol";
import { serverSettings } from "../settings";

export function createClient(
  python: string,
  log: LogOutputChannel,
  middleware: Middleware,
): LanguageClient {
  const client = new LanguageClient(
    "retouch",
    "Retouch",
    command(python),
    options(log, middleware),
  );
  client.registerFeature(new Announcement());
  return client;
}

/** Isolated (`-I`) and outside the workspace, so that nothing in it is imported. */
export function command(python: string): Executable {
  return { command: python, args: ["-I", "-m", "lsp_server"], options: { cwd: homedir() } };
}

function options(log: LogOutputChannel, middleware: Middleware): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    initializationOptions: () => serverSettings(),
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    textSynchronization: { delayOpenNotifications: true },
    middleware,
  };
}

/** Tells the server that live frames and commits are welcome. */
class Announcement implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...capabilities.experimental, retouch: ANNOUNCED };
  }

  initialize(): void {
    // Nothing to set up: the handlers are there from the start.
  }

  getState(): FeatureState {
    return { kind: "static" };
  }

  clear(): void {
    // Nothing was set up.
  }
}
