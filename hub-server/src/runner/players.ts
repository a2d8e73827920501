import { type Model, policy } from "@envs/core";
import type { EnvironmentManifest, Run } from "@envs/hub-client";

import type { Hub } from "../platform/hub/hub.ts";
import { PlayProblem } from "./play-problem.ts";

/** A model that the hub can play with. */
export interface Player {
  /** The maximum number of rollouts at once. */
  readonly concurrency: number;
  readonly price: Run["recipe"]["price"];
  /** Starts the model; the caller disposes of it. */
  readonly start: (hub: Hub) => Promise<AsyncDisposable & { readonly model: Model }>;
}

/** Finds the model of a run by its exact name. Throws a {@link PlayProblem} if the hub does not have it. */
export async function findPlayer(
  _hub: Hub,
  { recipe: { model } }: Run,
  manifest: EnvironmentManifest,
): Promise<Player> {
  if (model.startsWith("policy:")) return policyPlayer(model.slice("policy:".length), manifest);
  throw new PlayProblem(
    "refused",
    `This hub does not play ${JSON.stringify(model)}. It plays the policies of the environment.`,
  );
}

/** The policy that every environment with choices has. */
const randomPolicy = "random";

function policyPlayer(name: string, { policies, hasChoices }: EnvironmentManifest): Player {
  const [base = ""] = name.split("(", 1);
  if (!policies.includes(base) && !(base === randomPolicy && hasChoices === true))
    throw new PlayProblem("refused", `The published environment has no policy ${base}.`);
  return {
    concurrency: 1,
    price: null,
    start: async () => ({ model: policy(name), [Symbol.asyncDispose]: async () => {} }),
  };
}
