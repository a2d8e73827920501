import type { Environment } from "@envs/core";
import { describeScores, type Episode, episode, maxTurnsOf, toolSpecsOf } from "@envs/core/engine";

import { ServeError } from "../failure.ts";
import type { EpisodeHost, Report } from "./host.ts";
import { TaskOrder, TaskTable } from "./task.ts";

/** An environment to serve, and what its package says of it. */
export interface HostedEnvironment {
  readonly environment: Environment;
  readonly version?: string | undefined;
  readonly readme?: string | undefined;
}

interface Running {
  readonly episode: Episode;
  readonly over: AbortController;
}

/** Runs episodes in this thread. */
export async function inlineHost(
  { environment, version, readme }: HostedEnvironment,
  datasetSeed: number,
): Promise<EpisodeHost> {
  const tasks = await new TaskTable(environment, datasetSeed).load();
  const order = new TaskOrder({ name: environment.name, splits: tasks.splits });
  const all = new Map<string, Running>();
  const running = (id: string): Running => {
    const found = all.get(id);
    if (found !== undefined) return found;
    throw new ServeError("no-episode", "No episode is running: reset first.");
  };
  const report = async (from: Episode, messages: Report["messages"]): Promise<Report> => {
    if (from.stopReason === undefined) return { messages, outcome: undefined };
    const { stopReason, isTruncated } = from.scoreContext();
    const { reward, scores } = await from.score();
    return { messages, outcome: { reward, scores, stopReason, isTruncated } };
  };
  const close = async (id: string): Promise<void> => {
    const found = all.get(id);
    if (found === undefined) return;
    all.delete(id);
    found.over.abort(new ServeError("closed", "The episode was closed."));
    await found.episode.close();
  };
  return {
    card: {
      name: environment.name,
      description: environment.definition.description ?? environment.name,
      version,
      readme,
      tools: toolSpecsOf(environment),
      maxTurns: maxTurnsOf(environment),
      scores: describeScores(environment.definition, environment.config),
      splits: tasks.splits,
    },
    task: async (query) => tasks.find(order.place(query)),
    async open(id, task, seed) {
      const { example, key } = await tasks.example(task);
      const over = new AbortController();
      const opened = episode(environment, example, { key, seed, signal: over.signal });
      all.set(id, { episode: opened, over });
      try {
        await opened.start();
      } catch (error) {
        all.delete(id);
        throw error;
      }
      return report(opened, opened.messages.slice());
    },
    async step(id, message, options) {
      const { episode: stepped } = running(id);
      const { messages } = await stepped.step(message, options);
      return report(stepped, messages);
    },
    async finish(id) {
      const { episode: finished } = running(id);
      finished.stop("turns");
      return report(finished, []);
    },
    close,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...all.keys()].map(close));
    },
  };
}
