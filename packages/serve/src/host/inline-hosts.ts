import { hostedEnvironment, type Servable } from "./environment-reference.ts";
import type { EnvironmentCard, EpisodeHost } from "./episode-host.ts";
import { inlineHost } from "./inline-host.ts";
import { judgeFor, type ServedJudge } from "./judge-reference.ts";
import { type ServedSubModel, subModelFor } from "./sub-model-reference.ts";

/** How environments are loaded. */
export interface HostOptions extends ServedJudge, ServedSubModel {
  readonly seed?: number | undefined;
}

/** Loads environments with their judges, to run their episodes in this thread. Counts the datasets that have no card yet. */
export async function inlineHosts(
  environments: readonly Servable[],
  options: HostOptions,
  cards: readonly EnvironmentCard[] = [],
): Promise<readonly EpisodeHost[]> {
  const { seed = 0 } = options;
  const load = async (servable: Servable, index: number): Promise<EpisodeHost> => {
    const hosted = await hostedEnvironment(servable);
    const judge = await judgeFor(hosted.environment, options);
    const subModel = await subModelFor(hosted.environment, options);
    return inlineHost({ ...hosted, judge, subModel, counted: cards[index] }, seed);
  };
  return Promise.all(environments.map(load));
}
