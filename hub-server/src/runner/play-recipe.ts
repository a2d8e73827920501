import type { Rollout } from "@envs/core";
import { pool } from "@envs/core/engine";
import type { RunDeclaration } from "@envs/hub-client";

import { chosenPositions } from "../evaluations/declarations/sample.ts";
import type { BundleProcess } from "../rescoring/bundle-process.ts";
import { shuffled } from "../rescoring/recorded-groups.ts";
import { type EpisodeSetting, type PlayedEpisode, playEpisode } from "./play-episode.ts";
import { PlayProblem } from "./play-problem.ts";
import { scoreGroup } from "./score-group.ts";

/** The number of examples that a shuffle reads ahead, as `envs eval --shuffle` does. */
const buffer = 10_000;

/** Finds the number of examples of a dataset by asking the bundle. Null above the number that a shuffle reads. */
export async function datasetSize(
  call: BundleProcess["call"],
  dataset: EpisodeSetting["dataset"],
  examples: number | null,
): Promise<number | null> {
  const has = async (offset: number): Promise<boolean> => {
    const page = await call("examples", { ...dataset, offset, count: 1 });
    return Array.isArray(page["examples"]) && page["examples"].length > 0;
  };
  let [low, high] = [0, buffer + Math.min(examples ?? buffer, 10 * buffer)];
  if (await has(high)) return null;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await has(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Plays each rollout of a declared recipe, in random order of the examples. Yields the rollouts of an example together. */
export async function* playRecipe(
  process: Pick<BundleProcess, "call" | "replay">,
  setting: Omit<EpisodeSetting, "call"> & {
    readonly environment: string;
    readonly recipe: RunDeclaration;
    readonly concurrency: number;
  },
): AsyncGenerator<readonly Rollout[]> {
  const { recipe, seed, concurrency } = setting;
  const { call, replay } = inTurn(process);
  const positions = shuffled([...(await chosenPositions(recipe, seed))]);
  const episodes = positions.flatMap((index) =>
    Array.from({ length: recipe.rolloutsPerExample }, (_, rolloutIndex) => ({
      index,
      rolloutIndex,
    })),
  );
  const groups = new Map<number, PlayedEpisode[]>();
  for await (const played of pool(episodes, concurrency, (episode) =>
    playEpisode({ ...setting, call }, episode),
  )) {
    if (played.error?.isFatal === true) throw new PlayProblem("model", played.error.message);
    const { index } = played.keyed;
    const group = [...(groups.get(index) ?? []), played];
    groups.set(index, group);
    if (group.length < recipe.rolloutsPerExample) continue;
    groups.delete(index);
    group.sort((a, b) => a.rolloutIndex - b.rolloutIndex);
    yield await scoreGroup({ replay }, setting, group);
  }
}

/** Sends one request at a time, so that the time limit of a request does not count the requests before it. */
function inTurn({
  call,
  replay,
}: Pick<BundleProcess, "call" | "replay">): Pick<BundleProcess, "call" | "replay"> {
  let last: Promise<unknown> = Promise.resolve();
  const next = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return await result;
  };
  return {
    call: (method, params) => next(() => call(method, params)),
    replay: (request) => next(() => replay(request)),
  };
}
