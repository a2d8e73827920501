import { randomBytes } from "node:crypto";
import { resolve } from "node:path";

import type { Summary } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";
import { findRuns, readRun, type StoredRun } from "@envs/records/node";
import * as z from "zod";

import { FailureError } from "../terminal/errors.ts";
import { scoreNames } from "./rollout-fields.ts";
import { ofSelectedExamples } from "./selected-rollouts.ts";

/** A name for a run's folder, such as `20260131-094500-1f2e`. Names sort by time, and runs that start together differ. */
export function newRunName(): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${randomBytes(2).toString("hex")}`;
}

/** A saved run and its summary. */
export interface ViewedRun extends StoredRun {
  readonly summary: Summary;
  /** The weight of each score; empty if the metadata lacks weights. */
  readonly weights: Readonly<Record<string, number>>;
}

/** Reads the run in a folder, or the newest run in `<outputs>/evals`. `select` chooses some of its examples. */
export async function openRun(
  reference: string | undefined,
  { outputs, select }: { readonly outputs: string; readonly select?: string | undefined },
): Promise<ViewedRun> {
  const path = reference === undefined ? await newestRun(outputs) : resolve(reference);
  const stored = await readRun(path, { withMedia: false });
  const run = { ...stored, rollouts: await ofSelectedExamples(stored.rollouts, select) };
  const weights = z.record(z.string(), z.number()).safeParse(run.metadata["weights"]);
  return { ...run, summary: summarize(run), weights: weights.data ?? {} };
}

async function newestRun(outputs: string): Promise<string> {
  const [newest] = await findRuns(outputs);
  if (newest !== undefined) return newest;
  throw new FailureError(
    `No runs found in ${outputs}. Create one: envs eval tictactoe -m policy:optimal`,
  );
}

function summarize({ rollouts, metadata }: StoredRun): Summary {
  const sum = createSummarizer(scoreNames(rollouts), metadata.pass_threshold);
  for (const rollout of rollouts) sum.add(rollout);
  return sum.summary();
}
