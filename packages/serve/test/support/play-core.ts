import {
  type AssistantMessage,
  type Environment,
  type Example,
  rollout,
  type Seed,
} from "@envs/core";
import { examples } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";

/** Plays an example with these replies in core, without a server. */
export async function playCore(
  environment: Environment,
  { index, split, seed = 0 }: { index: number; split?: string; seed?: Seed },
  replies: readonly (string | AssistantMessage)[],
) {
  const count = index + 1;
  let example: Example | undefined;
  const options = split === undefined ? { count } : { count, split };
  for await (const row of examples(environment, options)) example = row.example;
  const result = await rollout(environment, example!, {
    model: scriptedModel(...replies),
    seed,
    maxTurns: replies.length,
  });
  if (result.status !== "scored") throw new Error(result.error.message);
  return { ...result, example: example! };
}
