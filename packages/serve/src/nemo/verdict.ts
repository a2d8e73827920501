import type { Outcome } from "../host/host.ts";
import type { Answered } from "./schemas.ts";

/** What the model is told when nothing more can be done. */
export const isOver = "The episode is over.";

/** Fields of a row that no score may hide. */
const fieldsOfRows = new Set([
  "responses_create_params",
  "response",
  "verifier_metadata",
  "agent_ref",
  "reward",
  "is_truncated",
  "stop_reason",
]);

/** What a trainer sent, with what came of it. */
export function verdict(sent: Answered, { reward, scores, isTruncated, stopReason }: Outcome) {
  const named = Object.entries(scores).map(
    ([name, score]) => [fieldsOfRows.has(name) ? `score_${name}` : name, score] as const,
  );
  return {
    ...sent,
    ...Object.fromEntries(named),
    reward,
    is_truncated: isTruncated,
    stop_reason: stopReason,
  };
}
