import type { AssistantMessage } from "@envs/core";

import { ServeError } from "../errors.ts";
import {
  type EnvironmentCard,
  type EpisodeHost,
  type EpisodeObservation,
  type EpisodePosition,
  groupScoresOf,
  type OpenOptions,
  type ScoredOutcome,
  type StepOptions,
} from "../host/episode-host.ts";
import { findSplit, type Task, type TaskQuery } from "../host/tasks.ts";
import type { EpisodeWorker } from "./episode-worker.ts";
import { interrupted, lostEpisode, notBegun } from "./worker-errors.ts";
import type { PlaceableEpisode, WorkerPool } from "./worker-pool.ts";

interface HostedEpisode extends PlaceableEpisode {
  isOpen: boolean;
  /** The example, if its episodes are scored together. */
  readonly group: string | undefined;
}

/** Runs the episodes of one environment in the workers of a pool. */
export class WorkerHost implements EpisodeHost {
  readonly card: EnvironmentCard;
  readonly #pool: WorkerPool;
  /** The index of the environment in all workers. */
  readonly #index: number;
  readonly #comparesRollouts: boolean;
  readonly #episodes = new Map<string, HostedEpisode>();
  #taskCount = 0;

  constructor(pool: WorkerPool, index: number) {
    this.#pool = pool;
    this.#index = index;
    this.card = pool.cards[index]!;
    this.#comparesRollouts = groupScoresOf(this.card).length > 0;
  }

  async task(query: TaskQuery): Promise<Task> {
    findSplit(this.card, query.split);
    // Counted over all workers.
    const count = query.index === undefined ? this.#taskCount : undefined;
    if (count !== undefined) this.#taskCount += 1;
    return this.#runInOneWorker((worker) => worker.call(this.#index, "task", query, count));
  }

  async open(
    id: string,
    task: Task,
    options: OpenOptions,
    onLost: (error: ServeError) => void = () => undefined,
  ): Promise<EpisodeObservation> {
    const group = this.#comparesRollouts ? `${task.split}/${task.index}` : undefined;
    const episode: HostedEpisode = {
      group,
      worker: undefined,
      isOpen: false,
      workerOfPeers: () => this.#workerOfGroup(group),
      onLost: (error) => {
        this.#episodes.delete(id);
        onLost(error);
      },
    };
    this.#episodes.set(id, episode);
    const observation = await this.#runInOneWorker(async (worker) => {
      try {
        if (this.#episodes.get(id) !== episode)
          throw new ServeError("closed", "The episode was closed.");
        return await worker.call(this.#index, "open", id, task, options);
      } catch (error) {
        worker.remove(episode);
        episode.worker = undefined;
        // The worker may still begin it.
        void worker.call(this.#index, "close", id).catch(() => undefined);
        throw error;
      }
    }, episode).catch((error: unknown) => {
      if (this.#episodes.get(id) === episode) this.#episodes.delete(id);
      throw error;
    });
    episode.isOpen = true;
    return observation;
  }

  step(id: string, message: AssistantMessage, options?: StepOptions): Promise<EpisodeObservation> {
    return this.#worker(id).call(this.#index, "step", id, message, options);
  }

  async position(id: string): Promise<EpisodePosition> {
    return this.#worker(id).call(this.#index, "position", id);
  }

  async finish(id: string): Promise<EpisodeObservation> {
    return this.#worker(id).call(this.#index, "finish", id);
  }

  async scoreGroup(ids: readonly string[]): Promise<readonly ScoredOutcome[]> {
    const workers = new Set(ids.map((id) => this.#episodes.get(id)?.worker));
    const [worker] = workers;
    if (worker === undefined || workers.size > 1) throw lostEpisode();
    return worker.call(this.#index, "scoreGroup", ids);
  }

  async close(id: string): Promise<void> {
    const episode = this.#episodes.get(id);
    this.#episodes.delete(id);
    const worker = episode?.worker;
    if (episode === undefined || worker === undefined) return;
    worker.remove(episode);
    await worker.call(this.#index, "close", id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.close();
  }

  /** Runs a call that starts an episode. Another worker takes it over from one that is blocked or has ended. */
  async #runInOneWorker<Result>(
    run: (worker: EpisodeWorker) => Promise<Result>,
    episode?: PlaceableEpisode,
  ): Promise<Result> {
    for (let wasInterrupted = false; ;) {
      const worker = await this.#pool.place(episode);
      try {
        return await run(worker);
      } catch (error) {
        const isMoved = error === notBegun || (error === interrupted && !wasInterrupted);
        if (!isMoved) throw error;
        wasInterrupted ||= error === interrupted;
      }
    }
  }

  #worker(id: string): EpisodeWorker {
    const worker = this.#episodes.get(id)?.worker;
    if (worker !== undefined) return worker;
    throw new ServeError("no-episode", "No episode is running. Reset first.");
  }

  /** The worker of the other episodes of an example that are scored together. */
  #workerOfGroup(group: string | undefined): EpisodeWorker | undefined {
    if (group === undefined) return undefined;
    for (const other of this.#episodes.values())
      if (other.group === group && other.worker !== undefined) return other.worker;
    return undefined;
  }
}
