import { policy } from "@envs/core";

import type { Hub } from "../platform/hub/hub.ts";
import { endpointPlayer } from "./endpoint-player.ts";
import { PlayProblem } from "./play-problem.ts";
import type { Player, PlayNeeds } from "./player.ts";
import { tinyPlayer } from "./tiny-player.ts";

/** Finds the model of a run by its exact name. Throws a {@link PlayProblem} if the hub does not have it. */
export async function findPlayer(hub: Hub, needs: PlayNeeds): Promise<Player> {
  const { model } = needs.run.recipe;
  if (model.startsWith("policy:")) return policyPlayer(model.slice("policy:".length), needs);
  if (model.startsWith("tiny:")) return await tinyPlayer(hub, model.slice("tiny:".length));
  return endpointPlayer(hub, needs);
}

/** The policy that every environment with choices has. */
const randomPolicy = "random";

function policyPlayer(name: string, { manifest }: PlayNeeds): Player {
  const [base = ""] = name.split("(", 1);
  const { policies, hasChoices } = manifest;
  if (!policies.includes(base) && !(base === randomPolicy && hasChoices === true))
    throw new PlayProblem("refused", `The published environment has no policy ${base}.`);
  const start = async () => ({ model: policy(name), [Symbol.dispose]: () => {} });
  return { concurrency: 1, price: null, start };
}
