/** What the rest of the extension needs of the language server. */

import type { Notifications, Requests } from "./protocol";

export interface Link {
  /** True while the server runs and takes requests. */
  readonly ready: boolean;
  /** Rejects with the server's message, or with `NotRunning`. */
  request<M extends keyof Requests>(method: M, params: Requests[M][0]): Promise<Requests[M][1]>;
  /** Does nothing while the server isn't running. */
  notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void;
}

export class NotRunning extends Error {
  constructor() {
    super("The Retouch language server is not running. “Retouch: Show Log” tells why.");
  }
}
