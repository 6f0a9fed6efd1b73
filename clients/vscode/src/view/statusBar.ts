/** The status bar item. A click opens the menu. */

import * as vscode from "vscode";
import type { Jobs } from "../jobs/book";
import type { Status } from "../protocol";
import type { Session } from "../server/session";
import { isEnabled, isOnFor, showsStatusBar } from "../settings";
import { type Facts, type View, viewOf } from "./status";

const PRIORITY = 90;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "retouch.status",
    vscode.StatusBarAlignment.Right,
    PRIORITY,
  );
  private server: Status | undefined;
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly session: Session,
    private readonly jobs: Jobs,
  ) {
    this.item.name = "Retouch";
    this.item.command = "retouch.showMenu";
    this.listeners = vscode.Disposable.from(
      this.item,
      session.onPhase(() => this.update(undefined)),
      jobs.onFrame(() => this.draw()),
      jobs.onChange(() => this.draw()),
      vscode.window.onDidChangeActiveTextEditor(() => this.draw()),
      vscode.workspace.onDidChangeConfiguration(() => this.draw()),
    );
    this.draw();
  }

  /** The newest word of the server; undefined forgets the last one. */
  update(status: Status | undefined): void {
    this.server = status;
    this.draw();
  }

  get view(): View {
    return viewOf(this.facts());
  }

  dispose(): void {
    this.listeners.dispose();
  }

  private draw(): void {
    const { text, tooltip, alarm } = this.view;
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip };
    this.item.backgroundColor = alarm
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    if (showsStatusBar()) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  private facts(): Facts {
    const document = vscode.window.activeTextEditor?.document;
    const job = this.jobs.latest(document?.uri.toString());
    const frame = job && [...job.frames.values()].pop();
    return {
      phase: this.session.phase,
      server: this.server,
      enabled: isEnabled(),
      here: document && { language: document.languageId, on: isOnFor(document.languageId) },
      progress: frame && { step: frame.step, steps: frame.steps },
    };
  }
}
