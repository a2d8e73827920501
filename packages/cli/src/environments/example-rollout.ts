import { type Environment, evaluate, type Model, policy, type Rollout } from "@envs/core";

const silence: Model = async () => ({
  message: { role: "assistant", content: "" },
  finish: "stop",
});

/** The first example, played by the best policy, or by one that says nothing; `undefined` if there is no example. */
export async function examplePlay(environment: Environment): Promise<Rollout | undefined> {
  const best = bestPolicyOf(environment);
  const { rollouts } = await evaluate(environment, {
    model: best === undefined ? silence : policy(best),
    examples: 1,
    rolloutsPerExample: 1,
  });
  return rollouts[0];
}

/** The first policy, which plays as well as can be. */
export function bestPolicyOf({ definition }: Environment): string | undefined {
  return Object.keys(definition.policies ?? {})[0];
}
