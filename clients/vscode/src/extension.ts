/** Where the parts are made and joined. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { CssBrush } from "./canvas/brush";
import { Canvas } from "./canvas/canvas";
import { Rooms } from "./canvas/rooms";
import { registerCommands } from "./commands/register";
import { Running } from "./commands/running";
import { Selections } from "./commands/selections";
import { Starter } from "./commands/start";
import { Commits } from "./edits/commit";
import { Proposals } from "./edits/proposals";
import { HeatView } from "./heat/view";
import { Jobs } from "./jobs/book";
import * as protocol from "./protocol";
import { carriedBy } from "./server/carried";
import { middleware } from "./server/middleware";
import { Session } from "./server/session";
import { SECTION, serverSettings } from "./settings";
import { Histories } from "./text/histories";
import { followContext } from "./view/context";
import { tellEnd, tellFailed, tellMissing } from "./view/messages";
import { StatusBar } from "./view/statusBar";

let stop: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Retouch", { log: true });
  const jobs = new Jobs();
  const histories = new Histories();
  const rooms = new Rooms();
  const brush = new CssBrush();
  const proposals = new Proposals(jobs);
  const canvas = new Canvas(jobs, histories, rooms, brush);
  const commits = new Commits(jobs, histories, rooms, canvas, proposals);
  const wire = (client: LanguageClient): void => {
    client.onNotification(protocol.DENOISE, (frame: protocol.Frame) => jobs.frame(frame));
    client.onNotification(protocol.ENDED, (ended: protocol.Ended) => jobs.ended(ended));
    client.onNotification(protocol.STATUS, (status: protocol.Status) => statusBar.update(status));
    client.onRequest(protocol.COMMIT, (params: protocol.CommitParams) => commits.take(params));
  };
  const session: Session = new Session(
    log,
    () => middleware(carriedBy(starter, running, jobs)),
    wire,
  );
  const selections = new Selections(jobs);
  const starter = new Starter(session, jobs, selections);
  const running = new Running(session, jobs);
  const heat = new HeatView(session);
  const statusBar = new StatusBar(session, jobs);
  stop = () => session.stop();
  context.subscriptions.push(
    ...[
      log,
      jobs,
      histories,
      rooms,
      brush,
      proposals,
      canvas,
      selections,
      session,
      heat,
      statusBar,
    ],
    registerCommands({ session, jobs, starter, running, proposals, heat, statusBar, log }),
    followContext(session, jobs),
    followSettings(session),
    jobs.onEnd(({ ended }) => tellEnd(ended)),
    session.onPhase((phase) => {
      if (phase !== "running") {
        jobs.abandon();
      }
      if (phase === "missing") {
        void tellMissing(session.attempts);
      } else if (phase === "failed") {
        void tellFailed();
      }
    }),
  );
  void session.restart();
}

export async function deactivate(): Promise<void> {
  await stop?.();
}

/** Tells the server of new settings; another Python, or trust, starts it anew. */
function followSettings(session: Session): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.python`)) {
        void session.restart();
      } else if (event.affectsConfiguration(SECTION)) {
        session.notify("workspace/didChangeConfiguration", {
          settings: { [SECTION]: serverSettings() },
        });
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (!session.ready) {
        void session.restart();
      }
    }),
  );
}
