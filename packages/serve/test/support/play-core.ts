import {
  type AssistantMessage,
  type Environment,
  type Example,
  rollout,
  type Seed,
} from "@envs/core";
import { examples } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";

/** How core itself plays an example with these replies. */
export async function playCore(
  environment: Environment,
  { index, split, seed = 0 }: { index: number; split?: string; seed?: Seed },
  replies: readonly (string | AssistantMessage)[],
) {
  const count = index + 1;
  let example: Example | undefined;
  const which = split === undefined ? { count } : { count, split };
  for await (const row of examples(environment, which)) example = row.example;
  const played = await rollout(environment, example!, {
    model: scriptedModel(...replies),
    seed,
    maxTurns: replies.length,
  });
  if (played.status !== "scored") throw new Error(played.error.message);
  return { ...played, example: example! };
}
