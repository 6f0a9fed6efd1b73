/** A server that tests answer for, and the parts that most tests need. */

import type * as vscode from "vscode";
import { Canvas } from "../src/canvas/canvas";
import { Rooms } from "../src/canvas/rooms";
import type { Row } from "../src/canvas/rows";
import { Commits } from "../src/edits/commit";
import { Proposals } from "../src/edits/proposals";
import { Jobs } from "../src/jobs/book";
import type { Link } from "../src/link";
import type { CommitParams, Frame, Notifications, Requests, Span } from "../src/protocol";
import { Histories } from "../src/text/histories";
import { type FakeDocument, type FakeEditor, fake } from "./fake/vscode";

export class FakeLink implements Link {
  ready = true;
  readonly asked: { method: string; params: unknown }[] = [];
  readonly told: { method: string; params: unknown }[] = [];
  readonly answers = new Map<string, unknown>();

  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M][0],
  ): Promise<Requests[M][1]> {
    this.asked.push({ method, params });
    const answer = this.answers.get(method);
    if (answer instanceof Error) {
      throw answer;
    }
    return answer as Requests[M][1];
  }

  notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    this.told.push({ method, params });
  }
}

/** Remembers the last rows of every editor. */
export class FakeBrush {
  readonly rows = new Map<unknown, readonly Row[]>();

  paint(editor: vscode.TextEditor, rows: readonly Row[]): void {
    this.rows.set(editor, rows);
  }

  shown(editor: FakeEditor): string[] {
    return (this.rows.get(editor) ?? []).map(({ runs }) => runs.map(({ text }) => text).join(""));
  }
}

export interface Stage {
  readonly jobs: Jobs;
  readonly rooms: Rooms;
  readonly canvas: Canvas;
  readonly brush: FakeBrush;
  readonly commits: Commits;
  readonly proposals: Proposals;
  readonly editor: FakeEditor;
  readonly document: FakeDocument;
}

/** A document in an editor, and all that shows and takes frames. Call before anything else. */
export function stage(text: string): Stage {
  fake.reset();
  const histories = new Histories();
  const jobs = new Jobs();
  const rooms = new Rooms();
  const brush = new FakeBrush();
  const canvas = new Canvas(jobs, histories, rooms, brush);
  const proposals = new Proposals(jobs);
  const commits = new Commits(jobs, histories, rooms, canvas, proposals);
  const editor = fake.open("/w/a.py", text);
  return { jobs, rooms, canvas, brush, commits, proposals, editor, document: editor.document };
}

export function span(a: number, b: number, c: number, d: number): Span {
  return { start: { line: a, character: b }, end: { line: c, character: d } };
}

let seq = 0;

/** A frame of job "j" over `range`; what is ▒ is marked as masked. */
export function frameOf(document: FakeDocument, range: Span, ...texts: string[]): Frame {
  seq += 1;
  const lines = texts.map((text) => {
    const runs = [...text.matchAll(/▒+/g)];
    const masks = runs.map((run): [number, number] => [run.index, run.index + run[0].length]);
    return { text, masks, new: [] };
  });
  const [jobId, uri] = ["j", document.uri.toString()];
  const { version } = document;
  return { jobId, seq, step: 1, steps: 8, uri, version, hole: 0, range, lines, done: false };
}

export function commitOf(document: FakeDocument, range: Span, newText: string): CommitParams {
  const edits = [{ range, newText }];
  const { version } = document;
  return {
    jobId: "j",
    uri: document.uri.toString(),
    version,
    edits,
    label: "rewrite",
    diffFirst: false,
  };
}

/** The parameters of the first request that a test made. */
export function firstAsked(link: FakeLink): Record<string, unknown> {
  const [first] = link.asked;
  if (!first) {
    throw new Error("nothing was asked");
  }
  return first.params as Record<string, unknown>;
}

/** Lets all that is under way come to rest. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await Promise.resolve();
  }
}
