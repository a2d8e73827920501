import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { createRun, reopenRun, type RunWriter, runsFolder } from "@envs/core/node";

import { newRunName } from "../runs/run-folder.ts";
import type { EvaluationOptions } from "./evaluation-options.ts";
import { runMetadata } from "./run-metadata.ts";
import { completeGroups, currentRollouts, plannedExamples } from "./saved-rollouts.ts";

/** Creates the run of an evaluation, or opens the one to resume. */
export async function openRun(
  options: EvaluationOptions,
): Promise<{ readonly run: RunWriter; readonly staleRollouts: number }> {
  const { plan, environment, outputs, resume } = options;
  const metadata = runMetadata(options);
  if (resume === undefined) {
    const folder = join(runsFolder(outputs, environment.name, metadata.model), newRunName());
    return { run: await createRun(folder, metadata), staleRollouts: 0 };
  }
  if (resume.model !== metadata.model)
    throw new ConfigError(
      `Cannot resume ${resume.path}: ${plan.model} is now ${metadata.model}, but the run was played with ${resume.model}. Restore the endpoint in the config file, or start a new run without --resume.`,
    );
  const planned = await plannedExamples(environment, plan);
  let staleRollouts = 0;
  const run = await reopenRun(resume.path, (saved) => {
    const current = currentRollouts(saved, planned);
    staleRollouts = saved.length - current.length;
    return completeGroups(current, environment, plan);
  });
  // The same plan, but for what a resumed run can change.
  const { date: _, ...settings } = metadata;
  await run.update(settings);
  return { run, staleRollouts };
}
