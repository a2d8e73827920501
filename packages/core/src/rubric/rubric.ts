import type { DeepReadonly } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { StopReason } from "../message/stop.ts";
import type { Random } from "../random.ts";
import type { Judge } from "./judge.ts";

/** Computes a value once per rollout and returns it to every score that passes the same `key`. */
export type Memo = <Value>(key: string, compute: () => Value) => Value;

/** What a score receives: a finished episode. */
export interface ScoreContext<
  Config = unknown,
  E = unknown,
  State = unknown,
  Seat = string | undefined,
> {
  readonly config: DeepReadonly<Config>;
  readonly example: DeepReadonly<E>;
  readonly state: State;
  /** The seat that is scored; `undefined` in an environment without `seats`. */
  readonly seat: Seat;
  readonly prompt: readonly Message[];
  /** Every message after the prompt. */
  readonly completion: readonly Message[];
  /** The text of the model's last message. */
  readonly reply: string;
  /** How many messages the model has written. */
  readonly turns: number;
  /** The sum of `context.reward()` in each of the model's turns, in order. */
  readonly turnRewards: readonly number[];
  readonly stopReason: StopReason;
  /** A limit cut the rollout or one of its replies short: with `seats`, a limit that this seat reached. */
  readonly isTruncated: boolean;
  readonly memo: Memo;
  readonly random: Random;
  /** The judge of the run; `undefined` if the caller passed none, which a score with `needs: ["judge"]` rules out. */
  readonly judge?: Judge | undefined;
  readonly signal: AbortSignal;
}

/** `null` means that the score does not apply to this rollout: it counts neither in the reward nor in the mean. */
export type ScoreValue = number | null;

/** A score with its explanation. The feedback is recorded for readers and for optimisers of prompts; it does not count. */
export interface ScoreWithFeedback {
  readonly score: ScoreValue | boolean;
  readonly feedback?: string | undefined;
}

/** What an author's score returns: `true` is 1, `false` is 0. */
export type ScoreReturn = ScoreValue | boolean | ScoreWithFeedback;

/** Scores one rollout. */
export type ScoreFunction<Config, E, State, Seat = string | undefined> = (
  context: ScoreContext<Config, E, State, Seat>,
) => ScoreReturn | Promise<ScoreReturn>;

/** What a score may need: `judge`, a model that judges. */
export type ScoreNeed = "judge";

/** How a judged score asks its judge. */
export interface JudgePrompt {
  /** The hash of the prompt and of the form of its verdict. */
  readonly prompt: string;
  /** The model that the author wrote the prompt for, as `--judge` takes it. */
  readonly model?: string | undefined;
  /** The scores of its choices, the worst first, if the verdict is one of several choices. */
  readonly choices?: Readonly<Record<string, number>> | undefined;
}

interface ScoreInfo<Config> {
  /** One line for tables. */
  readonly description?: string | undefined;
  /** The smallest and the largest possible value. A rollout with a value outside of it fails. */
  readonly range?: readonly [number, number] | undefined;
  /** What a run must provide for this score. A run without it stops before its first model call. */
  readonly needs?: readonly ScoreNeed[] | undefined;
  /** How the judge is asked. Rows of different prompts are not comparable, so a resumed run compares them. */
  readonly judge?: JudgePrompt | undefined;
  /** Whether the config asks for this score. A disabled score is `null` in records and absent from tables. */
  enabled?(context: { readonly config: DeepReadonly<Config> }): boolean;
}

interface Weighted {
  /** The factor of this score in the reward; may be negative. Default 1. */
  readonly weight?: number | undefined;
}

/** A number that is recorded and not rewarded. */
export interface Metric<Config, E, State, Seat = string | undefined> extends ScoreInfo<Config> {
  score(context: ScoreContext<Config, E, State, Seat>): ScoreReturn | Promise<ScoreReturn>;
}

/** A metric that compares the rollouts of one group. Returns one value per rollout, in the order of its argument. */
export interface GroupMetric<
  Config,
  E,
  State,
  Seat = string | undefined,
> extends ScoreInfo<Config> {
  group(
    rollouts: readonly ScoreContext<Config, E, State, Seat>[],
  ): readonly ScoreReturn[] | Promise<readonly ScoreReturn[]>;
}

/** A score with its weight. */
export interface WeightedScore<Config, E, State, Seat = string | undefined>
  extends Metric<Config, E, State, Seat>, Weighted {}

/** A score that compares the rollouts of one group, with its weight. */
export interface GroupScore<Config, E, State, Seat = string | undefined>
  extends GroupMetric<Config, E, State, Seat>, Weighted {}

/** Named scores. The reward is the sum of weight × score; a bare function has weight 1. */
export type Rubric<Config, E, State, Name extends string, Seat = string | undefined> = {
  readonly [Key in Name]:
    | ScoreFunction<Config, E, State, Seat>
    | WeightedScore<Config, E, State, Seat>
    | GroupScore<Config, E, State, Seat>;
};

/** Named scores of weight 0. */
export type Metrics<Config, E, State, Name extends string, Seat = string | undefined> = {
  readonly [Key in Name]:
    | ScoreFunction<Config, E, State, Seat>
    | Metric<Config, E, State, Seat>
    | GroupMetric<Config, E, State, Seat>;
};

/** The scores and metrics of one rollout, by name. */
export type Scores<Name extends string = string> = { readonly [Key in Name]: ScoreValue };

/** The scores of one rollout and their weighted sum. */
export interface ScoreResult<Name extends string = string> {
  readonly reward: number;
  readonly scores: Scores<Name>;
  /** Why scores have their values, by name of the score. Absent if no score returned feedback. */
  readonly feedback?: Readonly<Record<string, string>> | undefined;
  /** The weights of the scores that did not run because there was no judge: they are `null`, and the reward lacks them. */
  readonly unjudged?: Readonly<Record<string, number>> | undefined;
  /** The results of the other seats that the driver's players took. Absent without such seats. */
  readonly otherSeats?: Readonly<Record<string, ScoreResult>> | undefined;
}

/** The part of a definition that scores. Its types are erased: the engine runs any environment. */
export interface ScoringDefinition {
  readonly rubric: Rubric<unknown, unknown, unknown, string>;
  readonly metrics?: Metrics<unknown, unknown, unknown, string> | undefined;
}

/** A score or metric as the engine runs it. */
export interface NamedScore {
  readonly name: string;
  readonly entry: ScoringDefinition["rubric"][string];
  readonly weight: number;
}

/** The rubric's scores, then the metrics, each in the order of the definition. */
export function namedScores({ rubric, metrics = {} }: ScoringDefinition): readonly NamedScore[] {
  return [
    ...Object.entries(rubric).map(([name, entry]) => {
      const weight = typeof entry === "function" ? 1 : (entry.weight ?? 1);
      return { name, entry, weight };
    }),
    ...Object.entries(metrics).map(([name, entry]) => ({ name, entry, weight: 0 })),
  ];
}

/** Whether a config asks for a score. */
export function isEnabled(entry: NamedScore["entry"], config: unknown): boolean {
  return typeof entry === "function" || entry.enabled === undefined || entry.enabled({ config });
}

/** A score as tables and manifests show it. */
export interface ScoreDescription {
  readonly name: string;
  readonly weight: number;
  readonly isGroup: boolean;
  readonly description?: string | undefined;
  readonly range?: readonly [number, number] | undefined;
  readonly needs?: readonly ScoreNeed[] | undefined;
  readonly judge?: JudgePrompt | undefined;
}

/** Describes the scores and metrics of a definition: all of them, or those that `config` enables. */
export function describeScores(
  scoring: ScoringDefinition,
  config?: Readonly<Record<string, unknown>>,
): readonly ScoreDescription[] {
  return namedScores(scoring)
    .filter(({ entry }) => config === undefined || isEnabled(entry, config))
    .map(({ name, entry, weight }) => {
      if (typeof entry === "function") return { name, weight, isGroup: false };
      const { description, range, needs, judge } = entry;
      return { name, weight, isGroup: "group" in entry, description, range, needs, judge };
    });
}
