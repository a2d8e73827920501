import type { EnvironmentManifest, Run, RunDeclaration } from "@envs/hub-client";

import { publishedSize } from "../evaluations/declarations/manifest-defaults.ts";
import { hubAccountName } from "../identity/accounts/hub-account.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { listedBundle, ReplayProblem } from "../rescoring/bundle-code.ts";
import { PlayProblem } from "./play-problem.ts";
import type { Player, PlayNeeds } from "./player.ts";
import { findPlayer } from "./players.ts";

/** How the hub plays a run again. */
export interface PlayPlan {
  readonly player: Player;
  readonly manifest: EnvironmentManifest;
  /** The recipe to declare. `size` is null if the manifest does not state the number of examples. */
  readonly recipe: RunDeclaration;
}

/** The options of a run that the hub cannot repeat, with the reason. */
const unplayable: Readonly<Record<string, string>> = {
  judge: "The run asks a judge, and this hub asks none.",
  subModel: "The run asks a sub-model, and this hub asks none.",
};

/** Plans to play a run again, without reading its bundle. Throws a {@link PlayProblem} if the hub cannot. */
export async function planPlay(
  hub: Hub,
  {
    run,
    versionId,
    requester,
  }: Pick<PlayNeeds, "run" | "requester"> & { readonly versionId: number },
): Promise<PlayPlan> {
  const { settings } = hub;
  if (settings.HUB_PLAY_SECONDS === 0) throw refused("This hub does not play runs.");
  if (run.kind !== "evaluation") throw refused("The hub plays only evaluations.");
  if (run.owner === hubAccountName) throw refused("The hub has played this run itself.");
  for (const [option, reason] of Object.entries(unplayable))
    if (run.recipe.details[option] !== undefined) throw refused(reason);
  try {
    const { manifest } = await listedBundle(hub, versionId);
    const recipe = recipeOf(run, manifest, settings);
    const rollouts = (recipe.examples ?? 0) * recipe.rolloutsPerExample;
    const player = await findPlayer(hub, { run, manifest, rollouts, requester });
    return { player, manifest, recipe };
  } catch (error) {
    if (error instanceof ReplayProblem) throw refused(error.message);
    throw error;
  }
}

function recipeOf(
  { id, recipe, summary }: Run,
  manifest: EnvironmentManifest,
  { HUB_PLAY_ROLLOUTS: max }: Settings,
): RunDeclaration {
  const { package: name, version, integrity, config, model, sampling, split, details } = recipe;
  const { examples, counts } = summary;
  const stated = details["rolloutsPerExample"];
  const rolloutsPerExample =
    typeof stated === "number" && Number.isInteger(stated) && stated > 0
      ? stated
      : Math.ceil(counts.total / examples);
  const rollouts = examples * rolloutsPerExample;
  if (rollouts > max)
    throw refused(`The run has ${rollouts} rollouts, and this hub plays at most ${max}.`);
  const { maxTurns, maxTotalTokens, select } = details;
  return {
    package: name,
    version,
    integrity,
    contentHash: manifest.contentHash,
    config,
    model,
    sampling,
    split,
    details: {
      ...(select !== undefined && { select }),
      ...(maxTurns !== undefined && { maxTurns }),
      ...(maxTotalTokens !== undefined && { maxTotalTokens }),
      reproduces: id,
    },
    examples,
    size: select === undefined ? publishedSize(manifest, { config, split }) : null,
    rolloutsPerExample,
  };
}

function refused(reason: string): PlayProblem {
  return new PlayProblem("refused", reason);
}
