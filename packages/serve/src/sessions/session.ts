import type { AssistantMessage, Message, Seed } from "@envs/core";

import { ServeError } from "../errors.ts";
import type {
  EpisodeHost,
  EpisodeObservation,
  Outcome,
  StepOptions,
} from "../host/episode-host.ts";
import type { Task, TaskQuery } from "../host/tasks.ts";

/** What a client receives for one action. */
export interface SessionObservation {
  readonly messages: readonly Message[];
  readonly isDone: boolean;
  /** Only in the observation that ends the episode, so that trainers may sum rewards or use the last one. */
  readonly outcome: Outcome | undefined;
}

/** An example, and the seed of its episode. */
export interface ResetQuery extends TaskQuery {
  /** With the example, determines all randomness of the episode. Default: the server's seed. */
  readonly seed?: Seed | undefined;
}

/** An environment and its current episode, which a client holds. Actions are queued: they run one at a time, in order. */
export class Session {
  readonly id: string;
  readonly host: EpisodeHost;
  readonly #defaultSeed: Seed;
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** The example of the current episode. */
  task: Task | undefined;
  /** The number of actions in the current episode. */
  steps = 0;
  outcome: Outcome | undefined;
  /** When the client last sent a request, by `performance.now()` of the server's thread. */
  lastActiveAt = 0;
  /** The number of actions that are running or queued. */
  pending = 0;
  /** Called when the client or the server closes the session. */
  onClosed: (() => void) | undefined;

  constructor(id: string, host: EpisodeHost, defaultSeed: Seed) {
    this.id = id;
    this.host = host;
    this.#defaultSeed = defaultSeed;
  }

  /** Ends the current episode and starts another. */
  reset(query: ResetQuery): Promise<SessionObservation> {
    return this.#enqueue(async () => {
      await this.host.close(this.id);
      this.task = undefined;
      this.steps = 0;
      this.outcome = undefined;
      const task = await this.host.task(query);
      const observation = await this.host.open(this.id, task, query.seed ?? this.#defaultSeed);
      this.task = task;
      return this.#observe(observation);
    });
  }

  /** Passes the model's next message to the episode. After the end, returns an empty observation. */
  step(message: AssistantMessage, options?: StepOptions): Promise<SessionObservation> {
    return this.#enqueue(async () => {
      this.#checkStarted();
      if (this.outcome !== undefined) return { messages: [], isDone: true, outcome: undefined };
      const observation = await this.host.step(this.id, message, options);
      this.steps += 1;
      return this.#observe(observation);
    });
  }

  /** Returns the outcome. An episode that is not done yet ends here, as truncated. */
  finish(): Promise<Outcome> {
    return this.#enqueue(async () => {
      this.#checkStarted();
      if (this.outcome === undefined) this.#observe(await this.host.finish(this.id));
      return this.outcome!;
    });
  }

  /** Ends the session at once, and cancels the running action. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onClosed?.();
    await this.host.close(this.id);
  }

  #checkStarted(): void {
    if (this.task === undefined)
      throw new ServeError("no-episode", "No episode is running. Reset first.");
  }

  #observe(observation: EpisodeObservation): SessionObservation {
    this.outcome = observation.outcome;
    return { ...observation, isDone: observation.outcome !== undefined };
  }

  async #enqueue<Result>(action: () => Promise<Result>): Promise<Result> {
    this.pending += 1;
    const result = this.#queue.then(() => {
      if (this.#isClosed) throw new ServeError("closed", "The session is closed.");
      return action().catch((error: unknown) => {
        // Closing the session cancels the action, which then fails with another error.
        throw this.#isClosed ? new ServeError("closed", "The session was closed.") : error;
      });
    });
    this.#queue = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.pending -= 1;
      if (this.#isClosed) await this.host.close(this.id);
    }
  }
}
