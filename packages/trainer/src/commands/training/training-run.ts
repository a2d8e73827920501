import { join, resolve } from "node:path";

import { UsageError, coreVersion, version } from "@envs/cli/kit";
import {
  type EnvironmentFiles,
  loadEnvironment,
  type LoadedEnvironment,
} from "@envs/cli/kit/environments";
import { ConfigError } from "@envs/core";
import { engineArithmetic } from "@envs/tiny-model";

import {
  findTrainingRuns,
  readRecord,
  readState,
  type TrainingRecord,
} from "../../node/training-folder.ts";
import { type MetricsRow, readMetrics } from "../../report/metrics.ts";
import type { TrainingPlan } from "../../train/plan.ts";

/** The options of `envs train` that change the result of a run. */
const recordedOptions = [
  "config",
  "phases",
  "from",
  "seed",
  "threads",
  "backend",
  "model",
  "base-url",
  "base-model",
  "tokenizer",
  "lora-rank",
  "lora-alpha",
  "lora-targets",
  "context-length",
  "price",
] as const;

export function createTrainingRecord(
  {
    reference,
    factory,
    contentHash,
    files,
    packageName,
    version: packageVersion,
  }: LoadedEnvironment & { readonly files: EnvironmentFiles },
  plan: TrainingPlan,
  {
    judge,
    subModel,
    agent,
    service,
    queue,
    ...args
  }: {
    readonly service: TrainingRecord["service"] | undefined;
    readonly queue: TrainingRecord["queue"] | undefined;
  } & {
    readonly [Name in (typeof recordedOptions)[number] | "judge" | "subModel" | "agent"]?:
      | string
      | undefined;
  },
): TrainingRecord {
  const options = recordedOptions.flatMap((name) =>
    args[name] === undefined ? [] : [`--${name} ${args[name]}`],
  );
  return {
    schema_version: 1,
    environment: {
      reference,
      name: factory.definition.name,
      package: packageName ?? null,
      version: packageVersion ?? null,
      content_hash: contentHash,
      files,
    },
    plan,
    ...(service === undefined ? {} : { service }),
    ...(queue === undefined ? {} : { queue }),
    ...(judge === undefined ? {} : { judge }),
    ...(subModel === undefined ? {} : { sub_model: subModel }),
    ...(agent === undefined ? {} : { agent }),
    command: [
      "envs train",
      reference,
      ...options,
      ...(agent === undefined ? [] : [`--agent ${agent}`]),
    ].join(" "),
    versions: {
      "@envs/cli": version,
      "@envs/core": coreVersion,
      ...(packageName === undefined ? {} : { [packageName]: packageVersion ?? "" }),
      node: process.version,
      machine: `${process.platform} ${process.arch}`,
      ...(service === undefined ? { arithmetic: engineArithmetic() } : {}),
    },
    date: new Date().toISOString(),
    is_complete: false,
  };
}

/** A training run to resume. */
export interface ResumableTraining {
  readonly path: string;
  readonly record: TrainingRecord;
}

/** Finds the run to resume: a folder, or `latest` for the environment's newest incomplete run. */
export async function findResumableTraining(args: {
  readonly environment?: string | undefined;
  readonly resume: string;
  readonly save: string;
}): Promise<ResumableTraining> {
  if (args.resume !== "latest") {
    const path = resolve(args.resume);
    return { path, record: await readRecord(path) };
  }
  if (args.environment === undefined)
    throw new UsageError(
      "Missing run. Pass an environment to resume its newest incomplete run, or a run folder: envs train --resume <folder>",
    );
  const { factory } = await loadEnvironment(args.environment);
  const { name } = factory.definition;
  for (const path of await findTrainingRuns(args.save, name)) {
    const record = await readRecord(path);
    if (!record.is_complete) return { path, record };
  }
  throw new ConfigError(`No incomplete training run of ${name} found in ${args.save}.`);
}

/** The metrics and the run time of a run before it was resumed. */
export interface EarlierMetrics {
  readonly rows: readonly MetricsRow[];
  readonly seconds: number;
}

/** Reads a run's metrics up to its last checkpoint. */
export async function readEarlierMetrics(path: string): Promise<EarlierMetrics> {
  const state = await readState(path);
  if (state === undefined) return { rows: [], seconds: 0 };
  const rows = await readMetrics(join(path, "metrics.jsonl")).catch(() => []);
  const last = rows.findLastIndex(({ phase, step }) => phase === state.phase && step <= state.step);
  return { rows: rows.slice(0, last + 1), seconds: state.seconds };
}
