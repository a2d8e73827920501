import { checkRequirements } from "./check-requirements.ts";
import { abortAfter, runWithLimit } from "./deadline.ts";
import { requestOf } from "./drive.ts";
import type { Environment } from "./environment.ts";
import { episode as createEpisode, type Episode } from "./episode.ts";
import { asRolloutError, isRolloutError, RolloutError } from "./errors.ts";
import type { Example, KeyedExample } from "./example.ts";
import { finishGroup } from "./finish.ts";
import { modelCheck } from "./inspect.ts";
import { contentHash, deepCopy, frozenCopy } from "./json.ts";
import type { JudgeModels, JudgeOptions } from "./judge/judge.ts";
import { checkJudge } from "./judge/needs.ts";
import { sharedJudges } from "./judge/shared-judge.ts";
import {
  checkModel,
  checkResponse,
  type Model,
  type ModelResponse,
  type Sampling,
} from "./model.ts";
import { random, type Seed } from "./random.ts";
import type { PlayedEpisode, Rollout } from "./rollout-record.ts";
import { asksSubModel, checkSubModel } from "./sub-model/needs.ts";
import { runSubModel, type SubModelRunOptions } from "./sub-model/run-sub-model.ts";
import { now, type Turn } from "./trajectory.ts";

/** How a rollout is played. Times are in milliseconds. */
export interface PlayOptions extends JudgeOptions, SubModelRunOptions {
  readonly model: Model;
  /** Judges the replies, for scores that ask a judge. Required by an environment with such scores. */
  readonly judge?: JudgeModels | undefined;
  /** Whether scores that ask a judge are `null`, and the reward lacks them. Default false: they require `judge`. */
  readonly skipJudged?: boolean | undefined;
  readonly sampling?: Sampling | undefined;
  /** The run's seed. Default 0. */
  readonly seed?: Seed | undefined;
  /** The rollout's number within its group, from 0. */
  readonly rolloutIndex?: number | undefined;
  /** Lowers the environment's `maxTurns`. */
  readonly maxTurns?: number | undefined;
  /**
   * Ends the rollout once its replies have this many tokens in total, without those of sub-models. Requires a model that
   * reports its usage.
   */
  readonly maxTotalTokens?: number | undefined;
  /** The time limit of one reply, also of a sub-model. Default: none. */
  readonly turnTimeout?: number | undefined;
  /** The time limit of the rollout; scoring has the same limit again. Default: none. */
  readonly rolloutTimeout?: number | undefined;
  /**
   * The time limit of each call of the environment's code: `setup`, `respond`, a tool, a stop condition, a score. Default 10
   * minutes. `Infinity`: none.
   */
  readonly hookTimeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at the end of each turn. */
  readonly onTurn?: ((turn: Turn) => void) | undefined;
}

/** Plays one example to its end and scores it. */
export async function rollout<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  example: E,
  options: PlayOptions,
): Promise<Rollout<E, Name>> {
  checkModel(options.model, modelCheck(environment));
  checkJudge(environment, options);
  checkSubModel(environment, options);
  await checkRequirements(environment);
  const key = example.id ?? contentHash(example);
  const judge = sharedJudges(options.judge, options);
  const keyed = { example: deepCopy(example), key, index: 0 };
  const played = await play(environment, keyed, { ...options, judge });
  const [finished] = await finishGroup(environment, [played], options);
  return finished as Rollout<E, Name>;
}

/** Plays one example to its end without scoring it. Returns errors of the model and the environment as data. */
export async function play(
  environment: Environment,
  keyed: KeyedExample,
  options: PlayOptions,
): Promise<PlayedEpisode> {
  const { seed = 0, maxTurns, hookTimeout, rolloutIndex = 0, rolloutTimeout, signal } = options;
  const controller = new AbortController();
  const episode = createEpisode(environment, keyed.example, {
    key: keyed.key,
    seed,
    maxTurns,
    judge: options.judge,
    subModel: asksSubModel(environment) ? subModelOf(keyed, options) : undefined,
    signal: controller.signal,
    hookTimeout,
  });
  const trajectory: Turn[] = [];
  const start = now();
  const setup = { start, end: start };
  const error = await runWithLimit(
    { controller, signal, timeout: rolloutTimeout, operation: "The rollout" },
    async () => {
      await episode.start();
      setup.end = now();
      await playTurns({ episode, controller, trajectory }, options);
    },
  );
  const generation = { start: setup.end, end: now() };
  return { keyed, rolloutIndex, episode, trajectory, setup, generation, error, controller };
}

/** The sub-model of one rollout: rollouts of the same example sample with different seeds. */
function subModelOf({ key }: KeyedExample, options: PlayOptions): Model {
  const { seed = 0, rolloutIndex = 0 } = options;
  const seeds = random(seed, key, "rollout", rolloutIndex, "sub-model");
  const model = runSubModel(options);
  const ask: Model = (request) =>
    model({ ...request, seed: seeds.for(request.seed ?? 0).int(2 ** 31) });
  return Object.assign(ask, { id: model.id });
}

interface Conversation {
  readonly episode: Episode;
  readonly controller: AbortController;
  readonly trajectory: Turn[];
}

/** The loop: ask the model, step the episode, until the episode is done or a limit is reached. */
async function playTurns(conversation: Conversation, options: PlayOptions): Promise<void> {
  const { episode, controller, trajectory } = conversation;
  const { seed = 0, rolloutIndex = 0, maxTotalTokens = Infinity } = options;
  const { signal } = controller;
  const seeds = random(seed, episode.key, "rollout", rolloutIndex);
  let outputTokens = 0;
  while (episode.stopReason === undefined) {
    signal.throwIfAborted();
    const seen = episode.messages.length;
    const start = now();
    const response = await askModel(conversation, options, seeds.int(2 ** 31));
    if (response === undefined) return episode.stop("context");
    signal.throwIfAborted();

    const { message, finish, usage, tokens } = response;
    const end = now();
    const called = { seen, message, finish, usage, tokens, model: { start, end } };
    // Recorded before the step: if the environment throws, the record still has the reply.
    const index = trajectory.push({ ...called, environment: { start: end, end } }) - 1;
    await episode.step(message, { isTruncated: finish === "length" });
    signal.throwIfAborted();
    const turn: Turn = { ...called, environment: { start: end, end: now() } };
    trajectory[index] = turn;
    options.onTurn?.(turn);

    if (usage === undefined && maxTotalTokens !== Infinity) throw usageRequired(maxTotalTokens);
    outputTokens += usage?.outputTokens ?? 0;
    if (outputTokens >= maxTotalTokens) episode.stop("tokens");
  }
}

function usageRequired(maxTotalTokens: number): RolloutError {
  return new RolloutError(
    "model",
    `The model does not report its usage, so the limit of ${maxTotalTokens} tokens cannot be enforced. Omit the limit, or limit the turns.`,
    { isFatal: true },
  );
}

/** Requests the model's next message; `undefined` if the conversation exceeds the model's context. */
async function askModel(
  { episode, controller }: Conversation,
  { model, sampling, turnTimeout, rolloutIndex = 0 }: PlayOptions,
  seed: number,
): Promise<ModelResponse | undefined> {
  const timer = abortAfter(controller, turnTimeout, "The model's turn");
  try {
    const request = requestOf(episode, {
      sampling: frozenCopy(sampling),
      seed,
      session: `${episode.key}/${rolloutIndex}`,
      signal: controller.signal,
    });
    return checkResponse(await episode.scope.run("model", "the model", () => model(request)));
  } catch (error) {
    if (isRolloutError(error) && error.isOverflow) return undefined;
    throw asRolloutError("model", "the model", error);
  } finally {
    clearTimeout(timer);
  }
}
