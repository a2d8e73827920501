import { hostedEnvironment, type Servable } from "./environment-reference.ts";
import type { EpisodeHost } from "./episode-host.ts";
import { inlineHost } from "./inline-host.ts";
import { judgeFor, type ServedJudge } from "./judge-reference.ts";
import { type ServedSubModel, subModelFor } from "./sub-model-reference.ts";

/** How environments are loaded. */
export interface HostOptions extends ServedJudge, ServedSubModel {
  readonly seed?: number | undefined;
}

/** Loads environments with their judges, to run their episodes in this thread. */
export async function inlineHosts(
  environments: readonly Servable[],
  options: HostOptions,
): Promise<readonly EpisodeHost[]> {
  const { seed = 0 } = options;
  const load = async (servable: Servable): Promise<EpisodeHost> => {
    const hosted = await hostedEnvironment(servable);
    const judge = await judgeFor(hosted.environment, options);
    const subModel = await subModelFor(hosted.environment, options);
    return inlineHost({ ...hosted, judge, subModel }, seed);
  };
  return Promise.all(environments.map(load));
}
