/** Edits of a job that writes its frames into the document (`retouch.live: buffer`). */

import type { Jobs } from "../jobs/book";
import type { Edit } from "../protocol";
import { apply } from "../text/apply";
import { openDocument } from "../text/ranges";

/** Edits of one document, meant for one version of it. */
export interface StreamedEdits {
  readonly uri: string;
  readonly version: number;
  readonly edits: readonly Edit[];
}

/** Makes the edits without an undo stop between those of one job; undefined if no job streams here.
 *
 * A job that was cancelled takes back what it wrote.
 */
export function stream(
  { uri, version, edits }: StreamedEdits,
  jobs: Jobs,
): Promise<boolean> | undefined {
  const document = openDocument(uri);
  const here = jobs.all.filter((job) => job.uri === document?.uri.toString());
  const job = here.filter(({ cancelled, streamed }) => !cancelled || streamed).pop();
  if (!document || !job) {
    return undefined;
  }
  if (document.version !== version) {
    return Promise.resolve(false);
  }
  const first = !job.streamed;
  job.streamed = true;
  return apply(document, edits, { before: first, after: false });
}
