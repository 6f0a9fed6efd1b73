/** The `retouch/*` messages, as the language server sends and takes them. Columns are UTF-16 units. */

export interface Place {
  readonly line: number;
  readonly character: number;
}

/** A piece of a document; `end` is exclusive. */
export interface Span {
  readonly start: Place;
  readonly end: Place;
}

export interface TextDocumentId {
  readonly uri: string;
  readonly version?: number;
}

/** How a server that knows us may show work: live frames, and commits in one undo step. */
export const ANNOUNCED = { denoise: 1, commit: 1 } as const;

export interface FormattingOptions {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
}

export interface RewriteParams {
  readonly textDocument: TextDocumentId;
  readonly range: Span;
  readonly instruction?: string;
  readonly formattingOptions?: FormattingOptions;
}

export interface ReviseParams {
  readonly textDocument: TextDocumentId;
  readonly range: Span;
  readonly strength?: number;
  readonly instruction?: string;
}

export interface FillHolesParams {
  readonly textDocument: TextDocumentId;
  readonly range?: Span;
}

export interface PositionParams {
  readonly textDocument: TextDocumentId;
  readonly position: Place;
}

export interface HeatParams {
  readonly textDocument: TextDocumentId;
  readonly range: Span;
}

export interface JobStarted {
  readonly jobId: string;
}

export interface HolesStarted extends JobStarted {
  readonly holes: readonly Span[];
}

export interface RerollStarted extends JobStarted {
  readonly range: Span;
}

/** One token of standing text: how sure the model is of it, and what it would rather have said. */
export interface HeatToken {
  readonly range: Span;
  readonly confidence: number;
  readonly best?: string;
  readonly why?: string;
}

export interface Heat {
  readonly version: number;
  readonly tokens: readonly HeatToken[];
}

/** One line of a frame; the pairs are columns of `text`, the end exclusive. */
export interface FrameLine {
  readonly text: string;
  readonly masks: readonly (readonly [number, number])[];
  readonly new: readonly (readonly [number, number])[];
  readonly weak?: readonly (readonly [number, number, number])[];
}

/** The whole canvas of one hole as it stands; `range` is what it replaces, as of `version`. */
export interface Frame {
  readonly jobId: string;
  readonly seq: number;
  readonly step: number;
  readonly steps: number | null;
  readonly uri: string;
  readonly version: number;
  readonly hole: number;
  readonly range: Span;
  readonly lines: readonly FrameLine[];
  readonly done: boolean;
}

export type EndReason = "done" | "cancelled" | "unchanged" | "failed" | "conflict";

export interface Ended {
  readonly jobId: string;
  readonly reason: EndReason;
  readonly message?: string;
}

export type ServerState = "idle" | "working" | "offline" | "disabled" | "starting";

export interface Status {
  readonly state: ServerState;
  readonly message: string;
  readonly step?: number;
  readonly steps?: number | null;
  readonly jobs: number;
}

export interface Edit {
  readonly range: Span;
  readonly newText: string;
}

export interface CommitParams {
  readonly jobId: string;
  readonly uri: string;
  readonly version: number;
  readonly edits: readonly Edit[];
  readonly label: string;
  readonly diffFirst: boolean;
  readonly confirm?: boolean;
}

export interface CommitResult {
  readonly applied: boolean;
  readonly version?: number;
  readonly reason?: string;
}

/** Where a live operation acts: units into the text of the hole's frame `seq`, lines joined by "\n". */
export interface CellParams {
  readonly jobId: string;
  readonly hole: number;
  readonly seq: number;
  readonly start: number;
  readonly stop: number;
}

export interface PinParams extends CellParams {
  readonly text: string;
}

export interface Answer {
  readonly ok: boolean;
  readonly reason?: string;
}

/** Requests to the server: what goes out and what comes back. */
export interface Requests {
  "retouch/rewrite": [RewriteParams, JobStarted];
  "retouch/revise": [ReviseParams, JobStarted];
  "retouch/fillHoles": [FillHolesParams, HolesStarted];
  "retouch/reroll": [PositionParams, RerollStarted];
  "retouch/heat": [HeatParams, Heat];
  "retouch/revisePin": [PinParams, Answer];
  "retouch/throwBack": [CellParams, Answer];
  "retouch/lock": [CellParams, Answer];
  "retouch/accept": [JobStarted, Answer];
  "retouch/status": [Record<string, never>, Status];
}

/** Notifications to the server. */
export interface Notifications {
  "retouch/cancel": { readonly jobId: string; readonly reason?: string };
  "workspace/didChangeConfiguration": { readonly settings: unknown };
}

export const DENOISE = "retouch/denoise";
export const ENDED = "retouch/ended";
export const STATUS = "retouch/didChangeStatus";
export const COMMIT = "retouch/commit";
