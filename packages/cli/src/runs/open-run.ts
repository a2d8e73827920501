import { resolve } from "node:path";

import type { Summary } from "@envs/core";
import { findRuns, readRun, type StoredRun } from "@envs/core/node";
import { createSummarizer } from "@envs/core/records";
import { FailureError } from "@envs/terminal";
import * as z from "zod";

import { scoreNames } from "./rollout-fields.ts";

/** A run on disk, read and summed up. */
export interface ViewedRun extends StoredRun {
  readonly summary: Summary;
  /** Of each score, where the run says it. */
  readonly weights: Readonly<Record<string, number>>;
}

/** Reads a run: the folder, or the newest below `<outputs>/evals`. */
export async function openRun(reference: string | undefined, outputs: string): Promise<ViewedRun> {
  const path = reference === undefined ? await newestRun(outputs) : resolve(reference);
  const run = await readRun(path);
  const weights = z.record(z.string(), z.number()).safeParse(run.metadata["weights"]);
  return { ...run, summary: sumUp(run), weights: weights.data ?? {} };
}

async function newestRun(outputs: string): Promise<string> {
  const [newest] = await findRuns(outputs);
  if (newest !== undefined) return newest;
  throw new FailureError(
    `There are no runs below ${outputs}. Make one: envs eval tictactoe -m policy:optimal`,
  );
}

function sumUp({ rollouts, metadata }: StoredRun): Summary {
  const sum = createSummarizer(scoreNames(rollouts), metadata.pass_threshold);
  for (const rollout of rollouts) sum.add(rollout);
  return sum.summary();
}
