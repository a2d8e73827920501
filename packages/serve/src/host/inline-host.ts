import type { Environment } from "@envs/core";
import {
  checkRequirements,
  type Episode,
  episode,
  maxTurnsOf,
  playedBy,
  seatNamesOf,
  toolSpecsOf,
} from "@envs/core/engine";

import { quote, ServeError } from "../errors.ts";
import type { EnvironmentCard, EpisodeHost } from "./episode-host.ts";
import { EpisodeScorer } from "./episode-scorer.ts";
import type { LoadedJudge } from "./judge-reference.ts";
import type { LoadedSubModel } from "./sub-model-reference.ts";
import { TaskTable } from "./tasks.ts";

/** An environment to serve, with its package's version and README. */
export interface HostedEnvironment {
  readonly environment: Environment;
  readonly version?: string | undefined;
  readonly readme?: string | undefined;
}

interface JudgedEnvironment extends HostedEnvironment {
  /** Required by an environment whose scores ask a judge. The host closes it. */
  readonly judge?: LoadedJudge | undefined;
  /** Required by an environment that asks a sub-model. The host closes it. */
  readonly subModel?: LoadedSubModel | undefined;
  /** The card of a host in another process, which has counted the same dataset. */
  readonly counted?: EnvironmentCard | undefined;
}

interface RunningEpisode {
  /** Undefined while its example is read. */
  episode?: Episode;
  readonly controller: AbortController;
}

/** Runs episodes in this thread. `seed` determines the order of examples of endless datasets. */
export async function inlineHost(
  { environment, version, readme, judge, subModel, counted }: JudgedEnvironment,
  seed: number,
): Promise<EpisodeHost> {
  await checkRequirements(environment);
  const tasks = await new TaskTable(environment, seed).load(counted);
  const running = new Map<string, RunningEpisode>();
  const get = (id: string): Episode => {
    const opened = running.get(id)?.episode;
    if (opened !== undefined) return opened;
    throw new ServeError("no-episode", "No episode is running. Reset first.");
  };
  const commonTools = toolSpecsOf(environment);
  const scorer = new EpisodeScorer(environment);
  const close = async (id: string): Promise<void> => {
    const entry = running.get(id);
    if (entry === undefined) return;
    running.delete(id);
    entry.controller.abort(new ServeError("closed", "The episode was closed."));
    await entry.episode?.close();
  };
  return {
    card: {
      name: environment.name,
      description: environment.definition.description ?? environment.name,
      version,
      readme,
      tools: commonTools,
      maxTurns: maxTurnsOf(environment),
      seats: seatNamesOf(environment),
      scores: scorer.scores,
      splits: tasks.splits,
      hasSplits: tasks.hasSplits,
    },
    task: (query, count) => tasks.task(query, count),
    async open(id, task, { seed: episodeSeed, seat }) {
      checkSeat(environment, seat);
      const entry: RunningEpisode = { controller: new AbortController() };
      const { signal } = entry.controller;
      running.set(id, entry);
      try {
        const { example, key } = await tasks.example(task);
        signal.throwIfAborted();
        // In a mix, each part has its own seats.
        checkSeat(playedBy(environment, example, key).environment, seat);
        entry.episode = episode(environment, example, {
          key,
          seed: episodeSeed,
          seat,
          judge: judge?.judge,
          subModel: subModel?.subModel,
          signal,
        });
        await entry.episode.start();
      } catch (error) {
        // After a timeout, the session may have opened another episode.
        if (running.get(id) === entry) running.delete(id);
        throw error;
      }
      const opened = entry.episode;
      const observation = await scorer.observe(opened, opened.messages.slice());
      return commonTools === undefined ? { ...observation, tools: opened.tools } : observation;
    },
    async step(id, message, options) {
      const current = get(id);
      const { messages } = await current.step(message, options);
      const observation = await scorer.observe(current, messages);
      return { ...observation, turnReward: scorer.turnReward(current) };
    },
    async position(id) {
      const current = get(id);
      return { choices: await current.choices(), board: await current.board() };
    },
    async finish(id) {
      const current = get(id);
      current.stop("turns");
      return scorer.observe(current, []);
    },
    scoreGroup: (ids) => scorer.scoreGroup(ids.map(get)),
    close,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...running.keys()].map(close));
      await judge?.close?.();
      await subModel?.close?.();
    },
  };
}

function checkSeat(environment: Environment, seat: string | undefined): void {
  const names = seatNamesOf(environment);
  if (seat === undefined || names.includes(seat)) return;
  const known = names.length === 0 ? "It has no seats." : `Its seats are: ${names.join(", ")}.`;
  throw new ServeError(
    "unknown-seat",
    `${environment.name} has no seat named ${quote(seat)}. ${known}`,
  );
}
