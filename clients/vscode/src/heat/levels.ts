/** How doubtful a token is, as one of a few levels that each have a colour. */

import type { HeatToken } from "../protocol";

/** Below which confidence each level begins; the colours are `retouch.heat1` to `retouch.heat3`. */
export const LEVELS = [0.9, 0.6, 0.3] as const;

/** The level of a confidence: 0 for none, else 1 to 3. NaN is the most doubtful. */
export function levelOf(confidence: number): number {
  return LEVELS.filter((limit) => !(confidence >= limit)).length;
}

/** Tokens with doubt, by level 1 to 3. */
export function byLevel(tokens: readonly HeatToken[]): HeatToken[][] {
  return LEVELS.map((_, index) =>
    tokens.filter((token) => levelOf(token.confidence) === index + 1),
  );
}

/** What the model would say of a token, in one line of plain text. */
export function told({ confidence, best, why }: HeatToken): string {
  const parts = [`Retouch: confidence ${Math.round(100 * confidence)} %`];
  if (best !== undefined) {
    parts.push(`rather ${JSON.stringify(best)}`);
  }
  return [...parts, ...(why ? [why] : [])].join(" · ");
}
