import type { Rollout } from "@envs/core";
import { pool } from "@envs/core/engine";
import type { RunDeclaration } from "@envs/hub-client";

import { chosenPositions, sizeOf } from "../evaluations/declarations/sample.ts";
import type { BundleProcess } from "../rescoring/bundle-process.ts";
import { selectedSample } from "../rescoring/declared-sample.ts";
import { shuffled } from "../rescoring/recorded-groups.ts";
import { type EpisodeSetting, type PlayedEpisode, playEpisode } from "./play-episode.ts";
import { PlayProblem } from "./play-problem.ts";
import { scoreGroup } from "./score-group.ts";

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
  const { dataset } = setting;
  const { examples, size, details } = recipe;
  const chosen =
    details["select"] === undefined
      ? await chosenPositions({ examples, size }, seed)
      : await selectedSample(
          call,
          { dataset, select: details["select"] },
          { examples: sizeOf(recipe), seed },
        );
  const positions = shuffled([...chosen]);
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
