import { type Environment, evaluate, type Model, policy, type Rollout } from "@envs/core";

const emptyReply: Model = async () => ({
  message: { role: "assistant", content: "" },
  finish: "stop",
});

/** Plays the first example with the best policy, or with empty replies if there is no policy. Returns `undefined` for an empty dataset. */
export async function exampleRollout(environment: Environment): Promise<Rollout | undefined> {
  const best = bestPolicyOf(environment);
  const { rollouts } = await evaluate(environment, {
    model: best === undefined ? emptyReply : policy(best),
    examples: 1,
    rolloutsPerExample: 1,
  });
  return rollouts[0];
}

/** The name of the first policy: by convention, the best. */
export function bestPolicyOf({ definition }: Environment): string | undefined {
  return Object.keys(definition.policies ?? {})[0];
}
