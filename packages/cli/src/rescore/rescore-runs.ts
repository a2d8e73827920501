import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import type { Environment } from "@envs/core";
import { checkRequirements, judgedScores } from "@envs/core/engine";
import type { Metadata } from "@envs/records";
import { type RewardDiff, rewardDiffer } from "@envs/records/bundle";
import { readMetadata } from "@envs/records/node";

import type { Endpoint } from "../config-file.ts";
import { scoreWeights } from "../environments/describe.ts";
import { environmentFiles } from "../environments/environment-files.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import { sourceCommands } from "../environments/source-package.ts";
import { environmentMetadata, judgeMetadata } from "../evaluation/run-metadata.ts";
import { type JudgePlan, loadJudge, sharedModels } from "../models/load-judge.ts";
import { promptsSetter, recordedPrompts } from "../optimization/prompts-file.ts";
import { plannedTurns } from "../reward-diff/saved-runs.ts";
import { newRunName } from "../runs/run-folder.ts";
import { FailureError } from "../terminal/errors.ts";
import { type RunRescore, rescoreRun } from "./rescore-run.ts";

export interface RescoreReport extends Pick<RewardDiff, "scores" | "models"> {
  readonly environment: string;
  readonly runs: readonly RunRescore[];
  /** Judged scores that stay as stored, because no judge was asked. */
  readonly unjudged: readonly string[];
}

export interface RescoreRunsOptions {
  readonly paths: readonly string[];
  /** A package or path that replaces the environment that the runs name. */
  readonly environment: string | undefined;
  readonly out: string | undefined;
  /** The judge to ask; without one, judged scores stay as stored. */
  readonly judge: JudgePlan;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly signal: AbortSignal;
}

const tolerance = 1e-12;

/** Rescores runs of one environment, each into a new run, and compares their models before and after. */
export async function rescoreRuns(options: RescoreRunsOptions): Promise<RescoreReport> {
  const { paths, endpoints, judge: plan, signal } = options;
  const stored = await Promise.all(
    paths.map(async (path) => ({ path: resolve(path), metadata: await readMetadata(path) })),
  );
  const name = stored[0]!.metadata.env_id;
  const other = stored.find(({ metadata }) => metadata.env_id !== name);
  if (other !== undefined)
    throw new FailureError(
      `${other.path} is a run of ${other.metadata.env_id}, and ${stored[0]!.path} one of ${name}. Rescore them one by one.`,
    );
  const differ = rewardDiffer(tolerance);
  const runs: RunRescore[] = [];
  let unjudged: readonly string[] = [];
  for (const { path, metadata } of stored) {
    const reference = options.environment ?? referenceOf(metadata);
    const loaded = await loadEnvironment(reference);
    const withPrompts = await promptsSetter(recordedPrompts(metadata));
    const environment = withPrompts(loaded.factory(metadata.env_args));
    await checkRequirements(environment);
    const isJudged = plan.judge !== undefined;
    const judge = isJudged ? await loadJudge(environment, plan, endpoints) : undefined;
    if (!isJudged) unjudged = judgedScores(environment).map((score) => score.name);
    try {
      const label = stored.filter((run) => run.metadata.model === metadata.model).length > 1;
      const rescored = await rescoreRun(environment, {
        path,
        metadata,
        out: outOf(path, options),
        fields: {
          ...(await environmentFields(loaded, environment)),
          ...(judge && { judge: judgeMetadata(environment, judge) }),
          rescored_from: path,
        },
        seed: metadata.seed ?? undefined,
        maxTurns: plannedTurns(metadata),
        judge: judge && sharedModels(judge, plan),
        onRescored: (result) =>
          differ.add(
            label ? `${metadata.model} (${basename(path)})` : metadata.model,
            result.stored,
            result.replayed,
          ),
        signal,
        regrader: await regraderOf(reference, metadata, signal),
      });
      runs.push(rescored);
    } finally {
      await judge?.close();
    }
  }
  const { scores, models } = differ.result();
  return { environment: name, runs, unjudged, scores, models };
}

/** The package or path that the run was played with. */
function referenceOf(metadata: Metadata): string {
  const plan = metadata["plan"] as { readonly environment?: unknown } | undefined;
  return typeof plan?.environment === "string" ? plan.environment : metadata.env_id;
}

/** Tasks in machines are graded by what they stored: a replay would lack the work of an agent program. */
async function regraderOf(
  reference: string,
  { env_args: config }: Metadata,
  signal: AbortSignal,
): Promise<Regrader | undefined> {
  const { place, regrader } = await sourceCommands<TaskCommands>(reference);
  return await regrader?.(place, config, signal);
}

type Regrader = NonNullable<Parameters<typeof rescoreRun>[1]["regrader"]>;

interface TaskCommands {
  readonly regrader: (place: string, config: object, signal: AbortSignal) => Promise<Regrader>;
}

/** A new folder beside the run, or the one of `--out`. Throws if the folder exists. */
function outOf(path: string, { out, paths }: RescoreRunsOptions): string {
  const folder =
    out === undefined
      ? join(dirname(path), newRunName())
      : resolve(paths.length === 1 ? out : join(out, basename(path)));
  if (!existsSync(folder)) return folder;
  throw new FailureError(`${folder} exists. Pass another folder: --out <folder>`);
}

async function environmentFields(loaded: LoadedEnvironment, environment: Environment) {
  return {
    environment: environmentMetadata(loaded, await environmentFiles(loaded)),
    weights: scoreWeights(environment),
    date: new Date().toISOString(),
  };
}
