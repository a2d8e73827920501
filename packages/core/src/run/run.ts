import type { Example, KeyedExample } from "../dataset/example.ts";
import { checkRequirements } from "../definition/check-requirements.ts";
import type { Environment } from "../definition/environment.ts";
import { checkJudge } from "../definition/judge-needs.ts";
import { examples, type ExamplesOptions } from "../definition/read-dataset.ts";
import { asksSubModel, checkSubModel } from "../definition/sub-model-needs.ts";
import { ConfigError } from "../errors.ts";
import type { Turn } from "../model/trajectory.ts";
import { checkModels, firstModel } from "../rollout/assign-models.ts";
import { finishGroup } from "../rollout/finish.ts";
import { type PlayOptions } from "../rollout/play-options.ts";
import type { EarlierAttempt, Failure, PlayedEpisode, Rollout } from "../rollout/record.ts";
import { play } from "../rollout/rollout.ts";
import { runSubModel } from "../rollout/run-sub-model.ts";
import { describeScores } from "../rubric/rubric.ts";
import { sharedJudges } from "../rubric/shared-judge.ts";
import { attemptsBefore, checkRetry, isRetried, type RetryOptions } from "./attempts.ts";
import { pool } from "./pool.ts";

/** Identifies a rollout within a run. */
export interface RolloutKey {
  readonly exampleKey: string;
  readonly rolloutIndex: number;
}

/** An event of a run. */
export type RolloutEvent<E extends Example = Example, Name extends string = string> =
  | ({ readonly type: "start" } & RolloutKey)
  | ({ readonly type: "turn"; readonly turn: Turn } & RolloutKey)
  | ({ readonly type: "retry"; readonly error: Failure } & RolloutKey)
  | ({ readonly type: "finish"; readonly rollout: Rollout<E, Name> } & RolloutKey);

/** Which rollouts a run has, and how they are played. */
export interface RolloutsOptions<
  E extends Example = Example,
  Name extends string = string,
  Seat extends string = never,
>
  extends
    Omit<PlayOptions<Seat>, "rolloutIndex" | "onTurn" | "seed">,
    Pick<ExamplesOptions, "select" | "split" | "shuffle"> {
  /** The number of examples. Default 5; `Infinity` for all. */
  readonly examples?: number | undefined;
  /** The number of rollouts of each example: the size of a group. Default 3. */
  readonly rolloutsPerExample?: number | undefined;
  /** The maximum number of rollouts that run at once. Default 32. */
  readonly concurrency?: number | undefined;
  /** Determines the examples, and the randomness of the environment and of models that accept a seed. Default 0. */
  readonly seed?: number | undefined;
  /**
   * Plays rollouts that fail with one of these codes again, with the same seed. If the scoring of a group fails, the whole group
   * is played again. Default: none.
   */
  readonly retry?: RetryOptions | undefined;
  /** Whether a rollout exists already. A group with group scores is skipped only if all of its rollouts exist. */
  readonly skip?: ((key: RolloutKey) => boolean) | undefined;
  readonly onEvent?: ((event: RolloutEvent<E, Name>) => void) | undefined;
}

type RunOptions = RolloutsOptions<Example, string, string>;

interface Job {
  readonly keyed: KeyedExample;
  readonly rolloutIndex: number;
  readonly groupSize: number;
}

export const defaultExamples = 5;
export const defaultRolloutsPerExample = 3;

/**
 * Plays rollouts concurrently and yields each as it finishes, failed ones too. They start example by example. A rollout with
 * group scores is yielded when its group is complete. Leaving the loop aborts the rollouts that are still running.
 */
export async function* rollouts<
  E extends Example,
  State,
  Name extends string,
  Seat extends string = string,
>(
  environment: Environment<E, State, Name, Seat>,
  options: RolloutsOptions<E, Name, NoInfer<Seat>>,
): AsyncGenerator<Rollout<E, Name>> {
  checkOptions(environment, options);
  await checkRequirements(environment);
  const { onEvent, retry, concurrency = 32 } = options;
  const run = new AbortController();
  const signal: AbortSignal =
    options.signal === undefined ? run.signal : AbortSignal.any([options.signal, run.signal]);
  const playOptions = {
    ...options,
    signal,
    judge: sharedJudges(options.judge, options),
    subModel: asksSubModel(environment)
      ? runSubModel({ ...options, model: firstModel(options.model) })
      : undefined,
  };
  const incompleteGroups = new Map<string, PlayedEpisode[]>();

  const playOnce = async (
    { keyed, rolloutIndex }: Pick<Job, "keyed" | "rolloutIndex">,
    earlierAttempts: readonly EarlierAttempt[],
  ): Promise<PlayedEpisode> => {
    const key = { exampleKey: keyed.key, rolloutIndex };
    const onTurn = (turn: Turn): void => onEvent?.({ type: "turn", turn, ...key });
    const played = await play(environment, keyed, { ...playOptions, rolloutIndex, onTurn });
    return { ...played, earlierAttempts };
  };
  const isPlayedAgain = (outcome: Parameters<typeof isRetried>[0]): boolean =>
    !signal.aborted && isRetried(outcome, retry);

  /** Plays a rollout until an attempt succeeds or the last one fails. Closes the failed attempts. */
  const playRollout: typeof playOnce = async (job, earlierAttempts) => {
    const key = { exampleKey: job.keyed.key, rolloutIndex: job.rolloutIndex };
    let played = await playOnce(job, earlierAttempts);
    while (isPlayedAgain(played)) {
      const [failed] = await finishGroup(environment, [played], playOptions);
      const attempts = attemptsBefore(failed!);
      onEvent?.({ type: "retry", error: attempts.at(-1)!.error, ...key });
      played = await playOnce(job, attempts);
    }
    return played;
  };

  /** Scores a group. If that fails, plays the whole group again. */
  const finish = async (group: readonly PlayedEpisode[]): Promise<readonly Rollout[]> => {
    const finished = await finishGroup(environment, group, playOptions);
    const culprit = finished.find(isPlayedAgain);
    if (culprit === undefined) return finished;
    const replayed: PlayedEpisode[] = [];
    for (const [position, rollout] of finished.entries()) {
      const attempts = attemptsBefore(rollout, culprit);
      const { exampleKey, rolloutIndex } = rollout;
      onEvent?.({ type: "retry", error: attempts.at(-1)!.error, exampleKey, rolloutIndex });
      replayed.push(await playRollout(group[position]!, attempts));
    }
    return finish(replayed);
  };

  const work = async ({ groupSize, ...job }: Job): Promise<readonly Rollout[]> => {
    const { key } = job.keyed;
    onEvent?.({ type: "start", exampleKey: key, rolloutIndex: job.rolloutIndex });
    const played = await playRollout(job, []);
    if (groupSize === 1 || signal.aborted) return finish([played]);
    const group = incompleteGroups.get(key) ?? [];
    group.push(played);
    incompleteGroups.set(key, group);
    if (group.length < groupSize) return [];
    incompleteGroups.delete(key);
    return finish(group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex));
  };

  function* publish(finished: readonly Rollout[]): Generator<Rollout<E, Name>> {
    for (const rollout of finished as readonly Rollout<E, Name>[]) {
      const { exampleKey, rolloutIndex } = rollout;
      onEvent?.({ type: "finish", rollout, exampleKey, rolloutIndex });
      yield rollout;
    }
  }

  try {
    for await (const finished of pool(jobs(environment, options, signal), concurrency, work))
      yield* publish(finished);
    // After a cancellation, incomplete groups never complete, so their rollouts are published as they are.
    for (const [key, group] of incompleteGroups) {
      incompleteGroups.delete(key);
      yield* publish(await finishGroup(environment, group, playOptions));
    }
  } finally {
    run.abort(new Error("The run has ended."));
    // Closes the episodes that waited for their group.
    for (const group of incompleteGroups.values())
      void finishGroup(environment, group, playOptions);
  }
}

async function* jobs(
  environment: Environment,
  options: Omit<RunOptions, "onEvent">,
  signal: AbortSignal,
): AsyncGenerator<Job> {
  const { examples: count = defaultExamples, rolloutsPerExample = defaultRolloutsPerExample } =
    options;
  const { definition, config } = environment;
  const hasGroupScores = describeScores(definition, config).some(({ isGroup }) => isGroup);
  const indices = Array.from({ length: rolloutsPerExample }, (_, index) => index);
  for await (const keyed of examples(environment, { ...options, count, signal })) {
    const missing = indices.filter(
      (rolloutIndex) => options.skip?.({ exampleKey: keyed.key, rolloutIndex }) !== true,
    );
    const planned = hasGroupScores && missing.length > 0 ? indices : missing;
    const groupSize = hasGroupScores ? planned.length : 1;
    for (const rolloutIndex of planned) {
      if (signal.aborted) return;
      yield { keyed, rolloutIndex, groupSize };
    }
  }
}

function checkOptions(environment: Environment, options: Omit<RunOptions, "onEvent">): void {
  const atLeastOne = {
    examples: options.examples,
    rolloutsPerExample: options.rolloutsPerExample,
    concurrency: options.concurrency,
    maxTurns: options.maxTurns,
    maxTotalTokens: options.maxTotalTokens,
    turnTimeout: options.turnTimeout,
    rolloutTimeout: options.rolloutTimeout,
    hookTimeout: options.hookTimeout,
    "retry.times": options.retry?.times,
    judgeConcurrency: options.judgeConcurrency,
    judgeTimeout: options.judgeTimeout,
    subModelConcurrency: options.subModelConcurrency,
  };
  const issues = Object.entries(atLeastOne)
    .filter(
      ([, value]) =>
        value !== undefined && !(value >= 1 && (Number.isInteger(value) || value === Infinity)),
    )
    .map(([name, value]) => ({
      path: [name],
      message: `${value} is not a whole number of at least 1.`,
    }));
  if (issues.length > 0) throw new ConfigError("These options are not valid:", issues);
  if (options.retry !== undefined) checkRetry(options.retry);
  checkModels(environment, options.model, options.rotateSeats);
  checkJudge(environment, options);
  checkSubModel(environment, options);
}
