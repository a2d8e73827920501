import type { Environment, Rollout, RolloutErrorCode } from "@envs/core";
import type { KeyedExample } from "@envs/core/engine";
import { isReadable, parseRow } from "@envs/records";

/** Why no worker has played a rollout. */
export interface NotPlayed {
  readonly example: KeyedExample;
  readonly rolloutIndex: number;
  readonly code: Extract<RolloutErrorCode, "crash" | "worker">;
  readonly message: string;
}

/** The record of a rollout that no worker could play. */
export function failedRollout(
  environment: Environment,
  { example: { key, index, example }, rolloutIndex, code, message }: NotPlayed,
): Rollout {
  const rollout = parseRow(
    JSON.stringify({
      example_id: index,
      example_key: key,
      rollout_index: rolloutIndex,
      environment: environment.name,
      example,
      prompt: example.prompt,
      completion: [],
      error: { code, message, chain: [message], is_fatal: false },
    }),
  );
  if (isReadable(rollout)) return rollout;
  throw new Error(`The example ${key} cannot be recorded: ${rollout.problem}`);
}
