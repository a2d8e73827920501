import type { AssistantMessage } from "@envs/core";

/** A side of an episode that a person can play. */
export type PlayerSide = "model" | "opponent";

/** A move of one side. Replaying all entries brings a new episode to the same state. */
export type HistoryEntry =
  | { readonly by: "model"; readonly message: AssistantMessage; readonly isTruncated: boolean }
  | { readonly by: "opponent"; readonly text: string };

/** Removes the last move of a side and every move after it. Returns `undefined` if that side has not moved. */
export function undoLastMove(
  history: readonly HistoryEntry[],
  side: PlayerSide,
): readonly HistoryEntry[] | undefined {
  const last = history.findLastIndex(({ by }) => by === side);
  return last === -1 ? undefined : history.slice(0, last);
}
