import { isIP } from "node:net";

import { shellArgument, UsageError } from "@envs/cli/kit";
import { loadEnvironment, type LoadedEnvironment } from "@envs/cli/kit/environments";
import type { Environment } from "@envs/core";
import { describeScores, splitSizesOf } from "@envs/core/engine";

/** An environment to train on, and the user's choices. */
export interface TrainingSource {
  readonly environment: Environment;
  readonly loaded: LoadedEnvironment;
  readonly config: Readonly<Record<string, unknown>>;
  /** The URL of `envs serve`. */
  readonly url: string;
  /** The split's name on the server: `train` if the dataset has no splits. */
  readonly split: string;
  readonly hasSplits: boolean;
  /** The number of examples, from the first. */
  readonly count: number;
  readonly seed: number;
  /** The seat of the model. Default: the first. */
  readonly seat: string | undefined;
  /** The name of the model to train, for the trainer. */
  readonly model: string;
}

/** The user's choices. */
export interface TrainingSourceOptions extends Pick<
  TrainingSource,
  "config" | "url" | "seed" | "model"
> {
  readonly seat?: string | undefined;
  /** Default: `train`, else the first split. */
  readonly split?: string | undefined;
  /** Default: all examples, at most {@link maxDefaultCount}. */
  readonly count?: number | undefined;
}

/** The maximum number of examples to export unless the user passes `--count`. */
export const maxDefaultCount = 1000;

/** Loads an environment to train on. Throws a `UsageError` if the split does not exist or has fewer examples than `count`. */
export async function loadTrainingSource(
  reference: string,
  { split: splitName, count, seat, ...options }: TrainingSourceOptions,
): Promise<TrainingSource> {
  const loaded = await loadEnvironment(reference);
  const environment = loaded.factory(options.config);
  const sizes = await splitSizesOf(environment);
  const splits = sizes.map(({ name, size }) => ({ name: name ?? "train", size }));
  const split =
    splitName === undefined
      ? (splits.find(({ name }) => name === "train") ?? splits[0])
      : splits.find(({ name }) => name === splitName);
  if (split === undefined)
    throw new UsageError(
      `${environment.name} has no split ${JSON.stringify(splitName)}. Splits: ${splits.map(({ name }) => name).join(", ")}.`,
    );
  const size = split.size ?? Infinity;
  if (count !== undefined && count > size)
    throw new UsageError(
      `--count is ${count}, but the split ${split.name} of ${environment.name} has only ${size} examples.`,
    );
  return {
    ...options,
    seat,
    environment,
    loaded,
    hasSplits: sizes.some(({ name }) => name !== null),
    split: split.name,
    count: count ?? Math.min(size, maxDefaultCount),
  };
}

/** The number of rollouts per example in the exported configurations of trainers. */
const groupSize = 8;

/** The rewarded scores that compare the rollouts of one example. */
function groupScoresOf({
  environment: { definition, config },
}: Pick<TrainingSource, "environment">): readonly string[] {
  return describeScores(definition, config)
    .filter(({ isGroup, weight }) => isGroup && weight !== 0)
    .map(({ name }) => name);
}

/** Throws a `UsageError` if the rubric compares rollouts: a rollout alone in its group is always the best one. */
export function rejectGroupScores(source: TrainingSource, trainer: string): void {
  const names = groupScoresOf(source);
  if (names.length === 0) return;
  const { environment, loaded } = source;
  throw new UsageError(
    `Cannot export ${environment.name} for ${trainer}: the score ${names.join(", ")} compares the rollouts of one example, and ${trainer} requests the reward of one rollout at a time. Train through NeMo Gym instead, which waits for the whole group: envs export verl ${loaded.reference}`,
  );
}

/** Throws a `UsageError` if the environment sends images, audio or files, which the trainer's way to the server drops. */
export function rejectMedia({ environment, loaded }: TrainingSource, trainer: string): void {
  const { kinds = [] } = environment.definition.media ?? {};
  if (kinds.length === 0) return;
  throw new UsageError(
    `Cannot export ${environment.name} for ${trainer}: it sends ${kinds.join(" and ")} parts, and ${trainer} reads only text from the server. Train through NeMo Gym, whose dataset carries those of prompts: envs export verl ${shellArgument(loaded.reference)}`,
  );
}

/** The command that serves the environment at the trainer's URL, for comments in the exported files. */
export function serveCommand(source: TrainingSource): string {
  const { loaded, config, url, seed } = source;
  const { hostname, port: explicitPort, protocol } = new URL(url);
  const port = explicitPort === "" ? (protocol === "https:" ? "443" : "80") : explicitPort;
  const isLocal = ["127.0.0.1", "localhost"].includes(hostname);
  return [
    `envs serve ${shellArgument(loaded.reference)}`,
    ...configFlag(config),
    ...(seed === 0 ? [] : [`--seed ${seed}`]),
    ...(groupScoresOf(source).length === 0 ? [] : [`--group-size ${groupSize}`]),
    ...(port === "8000" ? [] : [`--port ${port}`]),
    ...(isLocal ? [] : ["--host 0.0.0.0"]),
    ...(isLocal || isIP(hostname.replaceAll(/^\[|\]$/gu, "")) !== 0
      ? []
      : [`--allowed-host ${hostname}`]),
  ].join(" ");
}

/** The `--config` flag of a command line; empty for the default config. */
export function configFlag(config: TrainingSource["config"]): readonly string[] {
  return Object.keys(config).length === 0
    ? []
    : [`--config ${shellArgument(JSON.stringify(config))}`];
}
