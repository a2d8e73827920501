import type { AssistantMessage, Message, Seed } from "@envs/core";
import { isRolloutError } from "@envs/core/engine";

import { ServeError } from "../errors.ts";
import type {
  EpisodeHost,
  EpisodeObservation,
  EpisodePosition,
  Outcome,
  StepOptions,
} from "../host/episode-host.ts";
import type { Task, TaskQuery } from "../host/tasks.ts";
import { servedTools, type ServedTools } from "../served-tools.ts";
import { type Action, ActionQueue } from "./action-queue.ts";

/** The response to one action of a client. */
export interface SessionObservation {
  readonly messages: readonly Message[];
  readonly isDone: boolean;
  /** The reward of the turn, for protocols whose trainers add the rewards of all steps. */
  readonly turnReward?: number | undefined;
  /** Only in the observation that ends the episode, so that trainers may sum rewards or use the last one. */
  readonly outcome: Outcome | undefined;
}

/** An example, and the seed and the seat of its episode. */
export interface ResetQuery extends TaskQuery {
  /** With the example, determines all randomness of the episode. Default: the server's seed. */
  readonly seed?: Seed | undefined;
  /** The seat of the client. Default: the first. */
  readonly seat?: string | undefined;
}

/** An environment and its current episode, which a client holds. Actions are queued: they run one at a time, in order. */
export class Session {
  readonly id: string;
  readonly host: EpisodeHost;
  readonly #defaultSeed: Seed;
  readonly #actions = new ActionQueue();
  #isClosed = false;
  /** Why the episode has ended without an outcome: the error of later actions. */
  #failure: ServeError | undefined;
  /** The example of the current episode. */
  task: Task | undefined;
  /** The client's seat in the current episode; `undefined` without seats. */
  seat: string | undefined;
  /** The tools of the current episode, if it has its own. */
  tools: ServedTools | undefined;
  /** The number of actions in the current episode. */
  steps = 0;
  outcome: Outcome | undefined;
  /** The sum of the turns' rewards before the last turn, which trainers already have. */
  earlyReward = 0;
  /** When the client last sent a request, by `performance.now()`. */
  lastActiveAt = 0;
  /** Called when the client or the server closes the session. */
  onClosed: (() => void) | undefined;

  constructor(id: string, host: EpisodeHost, defaultSeed: Seed) {
    this.id = id;
    this.host = host;
    this.#defaultSeed = defaultSeed;
  }

  /** The number of actions that are running or queued. */
  get pending(): number {
    return this.#actions.size;
  }

  /** When the running action started, by `performance.now()`. */
  get busySince(): number | undefined {
    return this.#actions.startedAt;
  }

  /** Since when the session has neither run an action nor received a request. */
  get idleSince(): number {
    return Math.max(this.lastActiveAt, this.#actions.endedAt);
  }

  /** Whether the episode has ended, with an outcome or with an error. */
  get isOver(): boolean {
    return this.outcome !== undefined || this.#failure !== undefined;
  }

  /** Ends the current episode and starts another. */
  reset(query: ResetQuery): Promise<SessionObservation> {
    return this.#enqueue({
      run: async (isExpired) => {
        this.task = undefined;
        this.tools = undefined;
        this.steps = 0;
        this.outcome = undefined;
        this.earlyReward = 0;
        this.#failure = undefined;
        await this.host.close(this.id);
        const task = await this.host.task(query);
        if (isExpired()) throw new ServeError("closed", "The reset has timed out.");
        const seed = query.seed ?? this.#defaultSeed;
        const opening = await this.host.open(this.id, task, { seed, seat: query.seat }, (error) =>
          this.#lose(error),
        );
        return { task, opening };
      },
      commit: ({ task, opening }) => {
        this.task = task;
        this.seat = query.seat ?? this.host.card.seats[0];
        this.tools = opening.tools && servedTools(opening.tools);
        return this.#observe(opening);
      },
    });
  }

  /** Passes the model's next message to the episode. After the end, returns an empty observation. */
  step(message: AssistantMessage, options?: StepOptions): Promise<SessionObservation> {
    return this.#enqueue({
      run: async () => {
        this.#checkPlayable();
        return this.outcome === undefined ? this.host.step(this.id, message, options) : undefined;
      },
      commit: (observation) => {
        if (observation === undefined) return { messages: [], isDone: true, outcome: undefined };
        this.steps += 1;
        return this.#observe(observation);
      },
    });
  }

  /** The choices and the board that a person can click; empty after the end. */
  position(): Promise<EpisodePosition> {
    return this.#enqueue({
      run: async (): Promise<EpisodePosition> => {
        this.#checkPlayable();
        return this.outcome === undefined ? this.host.position(this.id) : {};
      },
      commit: (position) => position,
    });
  }

  /** Returns the outcome. An episode that is not done yet ends here, as truncated. */
  finish(): Promise<Outcome> {
    return this.#enqueue({
      run: async () => {
        this.#checkPlayable();
        return this.outcome === undefined ? this.host.finish(this.id) : undefined;
      },
      commit: (observation) => {
        if (observation !== undefined) this.#observe(observation);
        return this.outcome!;
      },
    });
  }

  /** Fails the running action, and ends the episode. The client may reset. */
  expire(timeoutMs: number): void {
    const error = new ServeError(
      "timeout",
      `The environment did not answer within ${timeoutMs / 1000} s, so the episode has ended. Reset to start another.`,
    );
    this.#endEpisode(error);
    this.#actions.fail(error);
  }

  /** Ends the session at once, and cancels the running action. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClosed?.();
    const closing = this.host.close(this.id);
    this.#actions.fail(new ServeError("closed", "The session was closed."));
    await closing;
  }

  /** The environment's errors while it releases what it holds change nothing for the client. */
  async #closeEpisode(): Promise<void> {
    await this.host.close(this.id).catch(() => undefined);
  }

  #checkPlayable(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.task === undefined)
      throw new ServeError("no-episode", "No episode is running. Reset first.");
  }

  #observe(observation: EpisodeObservation): SessionObservation {
    this.outcome = observation.outcome;
    if (observation.outcome === undefined) this.earlyReward += observation.turnReward ?? 0;
    return { ...observation, isDone: observation.outcome !== undefined };
  }

  #enqueue<Raw, Result>({ run, commit }: Action<Raw, Result>): Promise<Result> {
    return this.#actions.add({
      run: async (isExpired) => {
        if (this.#isClosed) throw new ServeError("closed", "The session is closed.");
        try {
          return await run(isExpired);
        } catch (error) {
          if (!isExpired() && !(error instanceof ServeError)) this.#endEpisode(error);
          throw error;
        }
      },
      commit,
    });
  }

  /** An error or a timeout leaves the environment's state half changed, so the episode must not go on. */
  #endEpisode(error: unknown): void {
    if (this.task !== undefined) this.#failure = failureOf(error);
    void this.#closeEpisode();
  }

  /** The process of the episode has ended. */
  #lose(error: ServeError): void {
    if (this.task !== undefined && this.outcome === undefined) this.#failure = error;
    this.#actions.fail(error);
  }
}

function failureOf(error: unknown): ServeError {
  const code = isRolloutError(error) ? error.code : "environment";
  const reason =
    error instanceof ServeError
      ? "a step exceeded the time limit"
      : `the environment failed (${code})`;
  return new ServeError("no-episode", `The episode has ended: ${reason}. Reset to start another.`);
}
