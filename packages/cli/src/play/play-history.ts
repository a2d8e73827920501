import type { AssistantMessage } from "@envs/core";

/** Who can speak in an episode. A person sits at one of the two places. */
export type Seat = "model" | "opponent";

/** What one of the two said. All of it together brings a new episode to the same place. */
export type Said =
  | { readonly by: "model"; readonly message: AssistantMessage; readonly isTruncated: boolean }
  | { readonly by: "opponent"; readonly text: string };

/** What is left once the last thing that the person said is taken back; `undefined` if they said nothing yet. */
export function takenBack(said: readonly Said[], person: Seat): readonly Said[] | undefined {
  const last = said.findLastIndex(({ by }) => by === person);
  return last === -1 ? undefined : said.slice(0, last);
}
