import { alarm, limited } from "./deadline.ts";
import type { Environment } from "./environment.ts";
import { episode, type Episode } from "./episode.ts";
import { boundary, isRolloutError } from "./errors.ts";
import type { Example, KeyedExample } from "./example.ts";
import { finish } from "./finish.ts";
import { modelCheck } from "./inspect.ts";
import { contentHash } from "./json.ts";
import { checkResponse, type Model, type ModelResponse, type Sampling } from "./model.ts";
import { random, type Seed } from "./random.ts";
import { requestOf } from "./request.ts";
import type { Played, Rollout } from "./rollout-record.ts";
import { now, type Turn } from "./trajectory.ts";

/** How one rollout is played. Times are in milliseconds. */
export interface PlayOptions {
  readonly model: Model;
  readonly sampling?: Sampling;
  /** The run's seed. Default 0. */
  readonly seed?: Seed;
  /** The rollout's number within its group, from 0. */
  readonly rolloutIndex?: number;
  /** A limit below the environment's own `maxTurns`. */
  readonly maxTurns?: number;
  /** Stops the rollout once the model has written this many tokens in all its turns. Needs a model that counts them. */
  readonly maxTotalTokens?: number;
  /** The longest one answer of the model may take. Default: no limit. */
  readonly turnTimeout?: number;
  /** The longest the rollout may take; scoring has the same time again. Default: no limit. */
  readonly rolloutTimeout?: number;
  readonly signal?: AbortSignal;
  /** Hears of every turn, as it ends. */
  readonly onTurn?: (turn: Turn) => void;
}

/** Plays one example to its end and scores it. */
export async function rollout<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  example: E,
  options: PlayOptions,
): Promise<Rollout<E, Name>> {
  options.model.check?.(modelCheck(environment));
  const key = example.id ?? contentHash(example);
  const played = await play(environment, { example, key, index: 0 }, options);
  const [finished] = await finish(environment, [played], options);
  return finished as Rollout<E, Name>;
}

/** Lets a model play an example to the end. Never throws for what goes wrong on the way: that is data. */
export async function play(
  environment: Environment,
  keyed: KeyedExample,
  options: PlayOptions,
): Promise<Played> {
  const { rolloutIndex = 0, rolloutTimeout, signal } = options;
  const over = new AbortController();
  const running = episode(environment, keyed.example, {
    key: keyed.key,
    seed: options.seed ?? 0,
    maxTurns: options.maxTurns ?? Infinity,
    signal: over.signal,
  });
  const trajectory: Turn[] = [];
  const begun = now();
  let ready = begun;
  const error = await limited(
    { over, signal, timeout: rolloutTimeout, what: "The rollout" },
    async () => {
      const opening = await running.start();
      ready = now();
      if (!opening.isDone)
        await converse({ running, over, trajectory }, { ...options, rolloutIndex });
    },
  );
  const end = now();
  return {
    keyed,
    rolloutIndex,
    episode: running,
    trajectory,
    setup: { start: begun, end: ready },
    generation: { start: ready, end },
    error,
    over,
  };
}

interface Conversation {
  readonly running: Episode;
  readonly over: AbortController;
  readonly trajectory: Turn[];
}

/** The loop: ask the model, step the episode, until it is done or a limit is reached. */
async function converse(
  { running, over, trajectory }: Conversation,
  options: PlayOptions & { readonly rolloutIndex: number },
): Promise<void> {
  const { model, sampling, rolloutIndex, turnTimeout, maxTotalTokens = Infinity } = options;
  let outputTokens = 0;
  const { signal } = over;
  const seeds = random(options.seed ?? 0, running.key, "rollout", rolloutIndex);
  for (let isDone = false; !isDone;) {
    signal.throwIfAborted();
    const seed = seeds.int(2 ** 31);
    const seen = running.messages.length;
    const start = now();
    const timer = alarm(over, turnTimeout, "The model's turn");
    let response: ModelResponse;
    try {
      const request = requestOf(running, { sampling, seed, signal });
      response = await boundary("model", "the model", async () =>
        checkResponse(await model(request)),
      );
    } catch (error) {
      if (!isRolloutError(error) || !error.isOverflow) throw error;
      running.stop("context");
      return;
    } finally {
      clearTimeout(timer);
    }
    signal.throwIfAborted();
    const answered = now();
    const { message, finish, usage, tokens } = response;
    const soFar = (): Turn => ({
      seen,
      message,
      finish,
      usage,
      tokens,
      model: { start, end: answered },
      environment: { start: answered, end: now() },
    });
    const place = trajectory.push(soFar()) - 1;
    const observation = await running.step(message, { isTruncated: finish === "length" });
    signal.throwIfAborted();
    outputTokens += usage?.outputTokens ?? 0;
    const turn = soFar();
    trajectory[place] = turn;
    options.onTurn?.(turn);
    if (outputTokens >= maxTotalTokens) running.stop("tokens");
    isDone = observation.isDone || running.stopReason !== undefined;
  }
}
