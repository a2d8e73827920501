import {
  ConfigError,
  type Environment,
  evaluate,
  type Message,
  type Model,
  policy,
  type Requirement,
  type Rollout,
} from "@envs/core";
import {
  checkRequirements,
  describeScores,
  episode,
  examples,
  maxTurnsOf,
  policyNamesOf,
  requirementsOf,
  type ScoreDescription,
  splitsOf,
  type SubModelBudget,
  subModelBudget,
  type ToolSpec,
  toolSpecsOf,
} from "@envs/core/engine";

import { type ConfigOption, configOptions, toJsonSchema } from "./config-options.ts";
import { describeSeats, type SeatDescription } from "./describe-seats.ts";
import type { LoadedEnvironment } from "./loaded-environment.ts";

/** An environment's description, as `envs info` prints it. */
export interface EnvironmentDescription {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly kind: "single-turn" | "multi-turn" | "tools";
  readonly config: readonly ConfigOption[];
  readonly scores: readonly ScoreDescription[];
  /** Empty for an environment of kind `tools` if each example has its own. */
  readonly tools: readonly ToolSpec[];
  readonly splits: readonly string[];
  readonly policies: readonly string[];
  /** Whether the environment lists its legal replies. */
  readonly hasChoices: boolean;
  /** Whether the environment describes its positions as a grid. */
  readonly hasBoard: boolean;
  /** In the order of the definition; empty without seats. */
  readonly seats: readonly SeatDescription[];
  readonly maxTurns: number;
  /** What the machine must have, such as `python`. */
  readonly requires: readonly Pick<Requirement, "kind" | "name">[];
  /** How much a rollout may ask a sub-model; `undefined` if it asks none. */
  readonly subModel: SubModelBudget | undefined;
}

/** Describes an environment with its default config. */
export async function describeEnvironment({
  factory,
  version,
}: LoadedEnvironment): Promise<EnvironmentDescription> {
  const environment = factory();
  const { definition } = environment;
  const { name, description, tags = [], respond, tools, game } = definition;
  return {
    name,
    version,
    description,
    tags,
    kind: tools !== undefined ? "tools" : respond !== undefined ? "multi-turn" : "single-turn",
    config: configOptions(definition),
    scores: describeScores(definition),
    tools: toJsonSchema(`A tool's input in ${name}`, () => toolSpecsOf(environment) ?? []),
    splits: await splitsOf(environment),
    policies: policyNamesOf(environment),
    hasChoices: game?.choices !== undefined,
    hasBoard: game?.board !== undefined,
    seats: describeSeats(environment),
    maxTurns: maxTurnsOf(environment),
    requires: requirementsOf(environment).map(({ kind, name }) => ({ kind, name })),
    subModel: subModelBudget(environment),
  };
}

/** The weight of each score that the environment's config enables. */
export function scoreWeights({
  definition,
  config,
}: Pick<Environment, "definition" | "config">): Record<string, number> {
  return Object.fromEntries(
    describeScores(definition, config).map(({ name, weight }) => [name, weight]),
  );
}

/** The split to train on: `train`, else the first that is not `eval`. */
export async function trainingSplit(environment: Environment): Promise<string | undefined> {
  const splits = await splitsOf(environment);
  return splits.find((name) => name === "train") ?? splits.find((name) => name !== "eval");
}

const emptyReply: Model = async () => ({
  message: { role: "assistant", content: "" },
  finish: "stop",
});

/** A rollout of the first example, or only its prompt with the reason why nothing was played. */
export type ExampleRollout =
  | { readonly rollout: Rollout; readonly problem?: undefined }
  | { readonly prompt: readonly Message[]; readonly problem: string };

/**
 * Plays the first example with the best policy, or with empty replies if there is no policy. Scores that ask a judge are `null`.
 * Returns only the prompt if this machine lacks what the environment requires, and `undefined` for an empty dataset.
 */
export async function exampleRollout(
  environment: Environment,
): Promise<ExampleRollout | undefined> {
  try {
    await checkRequirements(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for await (const { example, key } of examples(environment, { count: 1 }))
      return { prompt: episode(environment, example, { key }).messages, problem: error.message };
    return undefined;
  }
  const best = bestPolicyOf(environment);
  const { rollouts } = await evaluate(environment, {
    model: best === undefined ? emptyReply : policy(best),
    examples: 1,
    rolloutsPerExample: 1,
    skipJudged: true,
  });
  const [rollout] = rollouts;
  return rollout && { rollout };
}

/** The name of the first policy: by convention, the best. */
export function bestPolicyOf(environment: Environment): string | undefined {
  return policyNamesOf(environment)[0];
}
