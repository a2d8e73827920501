import type { Environment, Rollout } from "@envs/core";
import type { KeyedExample } from "@envs/core/engine";
import { isReadable, parseRow } from "@envs/records";

/** The record of a rollout that no worker could play. */
export function failedRollout(
  environment: Environment,
  {
    example: { key, index, example },
    rolloutIndex,
    reason,
  }: { readonly example: KeyedExample; readonly rolloutIndex: number; readonly reason: string },
): Rollout {
  const message = `No worker could play this rollout: ${reason}`;
  const rollout = parseRow(
    JSON.stringify({
      example_id: index,
      example_key: key,
      rollout_index: rolloutIndex,
      environment: environment.name,
      example,
      prompt: example.prompt,
      completion: [],
      error: { code: "worker", message, chain: [message], is_fatal: false },
    }),
  );
  if (isReadable(rollout)) return rollout;
  throw new Error(`The example ${key} cannot be recorded: ${rollout.problem}`);
}
