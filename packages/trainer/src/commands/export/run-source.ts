import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { UsageError } from "@envs/cli/kit";
import { loadEnvironment } from "@envs/cli/kit/environments";
import { fieldsOfRollouts, selectRollouts } from "@envs/cli/kit/runs";
import type { Rollout } from "@envs/core";
import { type ToolSpec, toolSpecsOf } from "@envs/core/engine";
import { readRun, type StoredRun } from "@envs/records/node";
import { type Clause, parseClauses } from "@envs/viewer";
import * as z from "zod";

/** Whether a path is the folder of a saved run. */
export function isRunFolder(path: string): boolean {
  return existsSync(join(path, "metadata.json"));
}

/** A saved run and the tools of its environment. */
export interface RunWithTools {
  readonly run: StoredRun;
  /** `undefined` if the environment is not installed, or if each rollout has its own. */
  readonly tools: readonly ToolSpec[] | undefined;
}

const plannedMetadata = z.looseObject({ plan: z.looseObject({ environment: z.string() }) });

/** Reads a saved run, and its environment's tools if the environment is installed. */
export async function readRunWithTools(path: string): Promise<RunWithTools> {
  const run = await readRun(resolve(path));
  const { data } = plannedMetadata.safeParse(run.metadata);
  const reference = data?.plan.environment ?? run.metadata.env_id;
  const loaded = await loadEnvironment(reference).catch(() => undefined);
  return { run, tools: loaded && toolSpecsOf(loaded.factory) };
}

/** A saved run to export, and the filter to apply. */
export interface RunSource {
  /** The rollouts, sorted by example, so that the same seed gives the same file. */
  readonly rollouts: readonly Rollout[];
  readonly clauses: readonly Clause[];
  readonly tools: readonly ToolSpec[] | undefined;
  readonly model: string;
  /** The name of the run's folder. */
  readonly name?: string | undefined;
}

/** Reads a run to export. Throws a `UsageError` if it does not exist or the expression is invalid. */
export async function readRunSource(path: string, where: string | undefined): Promise<RunSource> {
  if (!isRunFolder(path))
    throw new UsageError(
      `${path} is not a run folder. Pass a folder such as outputs/evals/…; to list runs: envs view --list`,
    );
  const { run, tools } = await readRunWithTools(path);
  const rollouts = selectRollouts(run.rollouts);
  const clauses = parseClauses(where, fieldsOfRollouts(rollouts));
  return { rollouts, clauses, tools, model: run.metadata.model, name: basename(resolve(path)) };
}
