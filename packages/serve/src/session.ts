import type { AssistantMessage, Message, Seed } from "@envs/core";

import { ServeError } from "./failure.ts";
import type { EpisodeHost, Outcome, StepOptions } from "./host/host.ts";
import type { Task, TaskQuery } from "./host/task.ts";

/** What a session tells of one action. */
export interface SessionReport {
  readonly messages: readonly Message[];
  readonly isDone: boolean;
  /** Given once, with the report that ends the episode: so trainers that sum and trainers that take the last agree. */
  readonly outcome: Outcome | undefined;
}

/** Which example, and the seed of its episode. */
export interface ResetQuery extends TaskQuery {
  /** Decides, with the example, all that the environment draws. Default: the server's seed. */
  readonly seed?: Seed | undefined;
}

/** What a trainer holds: one environment, and one episode of it at a time. Actions wait for each other. */
export class Session {
  readonly id: string;
  readonly host: EpisodeHost;
  readonly #seed: Seed;
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Of the current episode. */
  task: Task | undefined;
  /** How many actions the current episode has taken. */
  steps = 0;
  outcome: Outcome | undefined;
  /** When the trainer was last heard of, on the clock of the server that holds the session. */
  lastHeard = 0;
  /** Actions that are under way or waiting. */
  pending = 0;
  /** Called when the session is closed by whomever. */
  onClosed: (() => void) | undefined;

  constructor(id: string, host: EpisodeHost, seed: Seed) {
    this.id = id;
    this.host = host;
    this.#seed = seed;
  }

  /** Ends the current episode and starts another. */
  reset(query: ResetQuery): Promise<SessionReport> {
    return this.#inTurn(async () => {
      await this.host.close(this.id);
      this.task = undefined;
      this.steps = 0;
      this.outcome = undefined;
      const task = await this.host.task(query);
      const report = await this.host.open(this.id, task, query.seed ?? this.#seed);
      this.task = task;
      return this.#told(report);
    });
  }

  /** Takes the model's next message. After the end it says so, and changes nothing. */
  step(message: AssistantMessage, options?: StepOptions): Promise<SessionReport> {
    return this.#inTurn(async () => {
      this.#checkStarted();
      if (this.outcome !== undefined) return { messages: [], isDone: true, outcome: undefined };
      const report = await this.host.step(this.id, message, options);
      this.steps += 1;
      return this.#told(report);
    });
  }

  /** The outcome; an episode that is not done yet ends here, as truncated. */
  finish(): Promise<Outcome> {
    return this.#inTurn(async () => {
      this.#checkStarted();
      if (this.outcome === undefined) this.#told(await this.host.finish(this.id));
      return this.outcome!;
    });
  }

  /** Ends the session at once; an action that is under way is cancelled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onClosed?.();
    await this.host.close(this.id);
  }

  #checkStarted(): void {
    if (this.task === undefined)
      throw new ServeError("no-episode", "No episode is running: reset first.");
  }

  #told(report: Awaited<ReturnType<EpisodeHost["step"]>>): SessionReport {
    this.outcome = report.outcome;
    return { ...report, isDone: report.outcome !== undefined };
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.pending += 1;
    const turn = this.#queue.then(() => {
      if (this.#isClosed) throw new ServeError("closed", "The session is closed.");
      return work().catch((error: unknown) => {
        // What it was doing was cancelled.
        throw this.#isClosed ? new ServeError("closed", "The session was closed.") : error;
      });
    });
    this.#queue = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.pending -= 1;
      if (this.#isClosed) await this.host.close(this.id);
    }
  }
}
