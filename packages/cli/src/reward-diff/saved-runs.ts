import { resolve } from "node:path";

import type { Metadata } from "@envs/records";
import { findRuns, readMetadata, readRun } from "@envs/records/node";

import { recordedPrompts } from "../optimization/prompts-file.ts";
import { FailureError } from "../terminal/errors.ts";
import type { RecordedRun } from "./replay-recorded.ts";

/** Reads saved evaluations of an environment: those in `folders`, else all in `outputs`. */
export async function savedRuns(
  environment: string,
  { folders, outputs }: { readonly folders: readonly string[]; readonly outputs: string },
): Promise<readonly RecordedRun[]> {
  const paths =
    folders.length > 0
      ? folders.map((folder) => resolve(folder))
      : await runsOf(environment, outputs);
  if (paths.length === 0)
    throw new FailureError(
      `No saved runs of ${environment} found in ${outputs}. Evaluate the old version first: envs eval ${environment} -m policy:…`,
    );
  return await Promise.all(paths.map((path) => readRecorded(path, environment)));
}

async function runsOf(environment: string, outputs: string): Promise<readonly string[]> {
  const paths = await findRuns(outputs);
  const names = await Promise.all(paths.map(async (path) => (await readMetadata(path)).env_id));
  return paths.filter((_, index) => names[index] === environment);
}

/** The limit of turns that a run was played with. */
export function plannedTurns(metadata: Metadata): number | undefined {
  const plan = metadata["plan"] as { readonly maxTurns?: unknown } | undefined;
  return typeof plan?.maxTurns === "number" ? plan.maxTurns : undefined;
}

async function readRecorded(path: string, environment: string): Promise<RecordedRun> {
  const { metadata, rollouts } = await readRun(path);
  const { env_id: name, env_args: config, model, seed, split } = metadata;
  if (name !== environment)
    throw new FailureError(
      `${path} is a run of ${name}, not of ${environment}. Pass runs of the same environment.`,
    );
  return {
    model,
    config,
    seed: seed ?? undefined,
    split: split ?? undefined,
    maxTurns: plannedTurns(metadata),
    prompts: recordedPrompts(metadata),
    rollouts,
  };
}
