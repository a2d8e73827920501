import { join } from "node:path";

import { createSummarizer } from "@envs/core/engine";
import { type Metadata, schemaVersion, totals } from "@envs/records";
import {
  createRun,
  findRuns,
  readMetadata,
  readRollouts,
  readTrials,
  type RunWriter,
  runsFolder,
} from "@envs/records/node";

import { FailureError } from "../terminal/errors.ts";
import { newRunName } from "./run-folder.ts";

/** A run that an import wrote. */
export interface ImportedRun {
  readonly path: string;
  readonly environment: string;
  readonly model: string;
  readonly rollouts: number;
  readonly failed: number;
}

export interface ImportReport {
  readonly runs: readonly ImportedRun[];
  /** The files that this package cannot read. */
  readonly problems: readonly { readonly path: string; readonly problem: string }[];
}

/** The runs of one import: one for each environment and model. */
interface OpenRun {
  readonly writer: RunWriter;
  readonly metadata: Metadata;
  readonly scores: Set<string>;
  readonly examples: Set<string>;
}

/**
 * Writes the trials below a path as runs in `<outputs>/evals`, one for each environment and model. Throws a `FailureError` if it
 * finds nothing to import, or if this path was imported before, because its rollouts would count twice.
 */
export async function importTrials(
  path: string,
  { outputs, isAgain }: { readonly outputs: string; readonly isAgain: boolean },
): Promise<ImportReport> {
  if (!isAgain) await rejectSecondImport(path, outputs);
  const open = new Map<string, OpenRun>();
  const problems: { path: string; problem: string }[] = [];
  try {
    for await (const trial of readTrials(path)) {
      if ("problem" in trial) {
        problems.push(trial);
        continue;
      }
      const { rollout, model } = trial;
      const key = JSON.stringify([rollout.environment, model]);
      const run =
        open.get(key) ??
        (await startRun(path, { outputs, environment: rollout.environment, model }));
      open.set(key, run);
      run.examples.add(rollout.exampleKey);
      if (rollout.status === "scored")
        for (const name of Object.keys(rollout.scores)) run.scores.add(name);
      await run.writer.append(rollout);
    }
    const runs: ImportedRun[] = [];
    for (const run of open.values()) runs.push(await finishRun(run));
    if (runs.length === 0)
      throw new FailureError(
        `${path} contains no trial of Harbor and no trajectory in ATIF.${problems.length === 0 ? "" : ` ${problems[0]!.problem}`}`,
      );
    return { runs, problems };
  } finally {
    for (const { writer } of open.values()) await writer.close();
  }
}

async function startRun(
  source: string,
  {
    outputs,
    environment,
    model,
  }: { readonly outputs: string; readonly environment: string; readonly model: string },
): Promise<OpenRun> {
  const metadata: Metadata = {
    schema_version: schemaVersion,
    env_id: environment,
    env_args: {},
    model,
    num_examples: 0,
    rollouts_per_example: 1,
    sampling_args: {},
    date: new Date().toISOString(),
    pass_threshold: 0.5,
    imported_from: source,
    is_complete: false,
  };
  const folder = join(runsFolder(outputs, environment, model), newRunName());
  return {
    writer: await createRun(folder, metadata),
    metadata,
    scores: new Set(),
    examples: new Set(),
  };
}

/** Reads the run back for its totals: the rollouts of a job may not fit into memory together. */
async function finishRun({ writer, metadata, scores, examples }: OpenRun): Promise<ImportedRun> {
  const { path } = writer;
  const sum = createSummarizer([...scores], metadata.pass_threshold);
  for await (const rollout of readRollouts(path, metadata, { withMedia: false }))
    if (!("problem" in rollout)) sum.add(rollout);
  const summary = sum.summary();
  const { total, failed } = summary.counts;
  await writer.update({
    ...totals(summary),
    num_examples: examples.size,
    rollouts_per_example: Math.ceil(total / examples.size),
    is_complete: true,
  });
  return { path, environment: metadata.env_id, model: metadata.model, rollouts: total, failed };
}

async function rejectSecondImport(path: string, outputs: string): Promise<void> {
  for (const run of await findRuns(outputs)) {
    const metadata = await readMetadata(run);
    if (metadata["imported_from"] === path && metadata["is_complete"] === true)
      throw new FailureError(`${path} was imported already: ${run}. To import it again: --again`);
  }
}
