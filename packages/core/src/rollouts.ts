import { untilAborted } from "./abort.ts";
import type { Environment } from "./environment.ts";
import { ConfigError } from "./errors.ts";
import { type Example, type KeyedExample } from "./example.ts";
import { examples } from "./examples.ts";
import { finish } from "./finish.ts";
import { modelCheck } from "./inspect.ts";
import { pool } from "./pool.ts";
import type { Played, Rollout } from "./rollout-record.ts";
import { play, type PlayOptions } from "./rollout.ts";
import { describeScores } from "./rubric.ts";
import type { Turn } from "./trajectory.ts";

/** Names one rollout of a run. */
export interface RolloutKey {
  readonly exampleKey: string;
  readonly rolloutIndex: number;
}

/** What happens during a run, as it happens. */
export type RolloutEvent<E extends Example = Example, Name extends string = string> =
  | ({ readonly type: "start" } & RolloutKey)
  | ({ readonly type: "turn"; readonly turn: Turn } & RolloutKey)
  | ({ readonly type: "finish"; readonly rollout: Rollout<E, Name> } & RolloutKey);

/** What to run, and how. */
export interface RolloutsOptions<
  E extends Example = Example,
  Name extends string = string,
> extends Omit<PlayOptions, "rolloutIndex" | "onTurn" | "seed"> {
  /** How many examples. Default 5; `Infinity` for all. */
  readonly examples?: number;
  /** Rollouts of each example: the size of a group. Default 3. */
  readonly rolloutsPerExample?: number;
  /** How many rollouts run at once. Default 32. */
  readonly concurrency?: number;
  /** Which split. Default: `eval` if there is one, else the first. */
  readonly split?: string;
  /** Take the examples in an order shuffled by the seed. */
  readonly shuffle?: boolean;
  /** Decides the examples, and all randomness of the environment and of models that take a seed. Default 0. */
  readonly seed?: number;
  /** Leaves out what is already there. A group with group scores is left out whole or not at all. */
  readonly skip?: (key: RolloutKey) => boolean;
  readonly onEvent?: (event: RolloutEvent<E, Name>) => void;
}

interface Job {
  readonly keyed: KeyedExample;
  readonly rolloutIndex: number;
  readonly groupSize: number;
}

/** How many examples and rollouts a run has when nobody says. */
export const defaultExamples = 5;
export const defaultRolloutsPerExample = 3;

/**
 * Plays many rollouts at once and yields each as it finishes, failed ones too. They start in a fixed order: example by
 * example. A rollout with group scores is yielded when its group is complete. Leaving the loop stops what still runs.
 */
export async function* rollouts<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  options: RolloutsOptions<E, Name>,
): AsyncGenerator<Rollout<E, Name>> {
  checkOptions(environment, options);
  const { onEvent, concurrency = 32, signal } = options;
  const over = new AbortController();
  const all: AbortSignal =
    signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const playOptions = { ...options, signal: all };
  const groups = new Map<string, Played[]>();

  const work = async ({ keyed, rolloutIndex, groupSize }: Job): Promise<readonly Rollout[]> => {
    const key = { exampleKey: keyed.key, rolloutIndex };
    onEvent?.({ type: "start", ...key });
    const played = await play(environment, keyed, {
      ...playOptions,
      rolloutIndex,
      ...(onEvent === undefined
        ? {}
        : { onTurn: (turn) => onEvent({ type: "turn", turn, ...key }) }),
    });
    if (groupSize === 1 || all.aborted) return finish(environment, [played], playOptions);
    const group = groups.get(keyed.key) ?? [];
    group.push(played);
    groups.set(keyed.key, group);
    if (group.length < groupSize) return [];
    groups.delete(keyed.key);
    group.sort((a, b) => a.rolloutIndex - b.rolloutIndex);
    return finish(environment, group, playOptions);
  };

  function* report(finished: readonly Rollout[]): Generator<Rollout<E, Name>> {
    for (const rollout of finished as readonly Rollout<E, Name>[]) {
      const { exampleKey, rolloutIndex } = rollout;
      onEvent?.({ type: "finish", rollout, exampleKey, rolloutIndex });
      yield rollout;
    }
  }

  try {
    for await (const finished of pool(jobs(environment, options, all), concurrency, work))
      yield* report(finished);
    // A cancelled run may leave groups that will never be complete: what was played is still reported.
    for (const [key, group] of groups) {
      groups.delete(key);
      yield* report(await finish(environment, group, playOptions));
    }
  } finally {
    over.abort(new Error("Nobody waits for this rollout any more."));
    // Members that wait for their group still hold what `setup` acquired.
    for (const group of groups.values()) void finish(environment, group, playOptions);
  }
}

async function* jobs(
  environment: Environment,
  options: Omit<RolloutsOptions, "onEvent">,
  signal: AbortSignal,
): AsyncGenerator<Job> {
  const { examples: count = defaultExamples, rolloutsPerExample = defaultRolloutsPerExample } =
    options;
  const hasGroupScores = describeScores(environment.definition, environment.config).some(
    ({ isGroup }) => isGroup,
  );
  const all = untilAborted(examples(environment, { ...options, count }), signal);
  for await (const keyed of all) {
    const indices = Array.from({ length: rolloutsPerExample }, (_, index) => index);
    const isMissing = (rolloutIndex: number): boolean =>
      options.skip?.({ exampleKey: keyed.key, rolloutIndex }) !== true;
    const missing = indices.filter(isMissing);
    const planned = hasGroupScores && missing.length > 0 ? indices : missing;
    const groupSize = hasGroupScores ? planned.length : 1;
    for (const rolloutIndex of planned) {
      if (signal.aborted) return;
      yield { keyed, rolloutIndex, groupSize };
    }
  }
}

function checkOptions(environment: Environment, options: Omit<RolloutsOptions, "onEvent">): void {
  const atLeastOne = {
    examples: options.examples,
    rolloutsPerExample: options.rolloutsPerExample,
    concurrency: options.concurrency,
    maxTurns: options.maxTurns,
    maxTotalTokens: options.maxTotalTokens,
    turnTimeout: options.turnTimeout,
    rolloutTimeout: options.rolloutTimeout,
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
  options.model.check?.(modelCheck(environment));
}
