/** What the status bar says. No editor here. */

import type { Status } from "../protocol";
import type { Phase } from "../server/session";

/** What is known at a moment. */
export interface Facts {
  readonly phase: Phase;
  readonly server: Status | undefined;
  readonly enabled: boolean;
  /** The language of the active editor, and whether Retouch is on for it; undefined if none is open. */
  readonly here: { readonly language: string; readonly on: boolean } | undefined;
  /** The newest frame of a job in the active document. */
  readonly progress: { readonly step: number; readonly steps: number | null } | undefined;
}

export interface View {
  readonly text: string;
  readonly tooltip: string;
  readonly alarm: boolean;
}

export function viewOf(facts: Facts): View {
  return notRunning(facts) ?? turnedOff(facts) ?? atWork(facts);
}

function notRunning({ phase }: Facts): View | undefined {
  switch (phase) {
    case "starting":
      return plain("$(loading~spin) Retouch", "The language server is starting");
    case "missing":
      return alarm("$(warning) Retouch", "No Python with Retouch was found; click for help");
    case "failed":
    case "stopped":
      return alarm("$(debug-disconnect) Retouch", "The language server is not running");
    default:
      return undefined;
  }
}

function turnedOff({ enabled, here, server }: Facts): View | undefined {
  if (!enabled) {
    return plain("$(circle-slash) Retouch", "Turned off");
  }
  if (here && !here.on) {
    return plain("$(circle-slash) Retouch", `Off for ${here.language} files`);
  }
  if (server?.state === "disabled") {
    return plain("$(circle-slash) Retouch", server.message || "Off for this file");
  }
  return undefined;
}

function atWork({ server, progress }: Facts): View {
  const step = progress ?? stepOf(server);
  if (progress || server?.state === "working") {
    const steps = stepText(step);
    const told = [server?.message || "Working", steps].filter(Boolean).join(", ");
    return plain(`$(loading~spin) Retouch ${steps}`.trimEnd(), told);
  }
  if (server?.state === "offline") {
    return alarm("$(debug-disconnect) Retouch", server.message || "The engine can't be reached");
  }
  if (server?.state === "starting") {
    return plain("$(loading~spin) Retouch", server.message || "The model is loading");
  }
  return plain("$(sparkle) Retouch", server?.message || "Ready");
}

function stepOf(server: Status | undefined): Facts["progress"] {
  return server?.step === undefined
    ? undefined
    : { step: server.step, steps: server.steps ?? null };
}

function stepText(progress: Facts["progress"]): string {
  if (!progress) {
    return "";
  }
  return progress.steps === null
    ? `step ${progress.step}`
    : `step ${progress.step} of ${progress.steps}`;
}

function plain(text: string, tooltip: string): View {
  return { text, tooltip: `Retouch: ${tooltip}`, alarm: false };
}

function alarm(text: string, tooltip: string): View {
  return { text, tooltip: `Retouch: ${tooltip}`, alarm: true };
}
