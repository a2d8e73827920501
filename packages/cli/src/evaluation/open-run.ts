import { join } from "node:path";

import { ConfigError, type Rollout } from "@envs/core";
import {
  createRun,
  reopenRun,
  runsFolder,
  type RunWriter,
  type SavedRollout,
} from "@envs/records/node";

import { newRunName } from "../runs/run-folder.ts";
import type { EvaluationOptions } from "./evaluation-options.ts";
import type { ResumableRun } from "./resume.ts";
import { judgeMetadata, runMetadata } from "./run-metadata.ts";
import { completeGroups, currentRollouts, plannedExamples } from "./saved-rollouts.ts";

/** Creates the run of an evaluation, or opens the one to resume. `onExisting` receives each saved rollout that counts. */
export async function openRun(
  options: EvaluationOptions,
  onExisting: (rollout: Rollout) => void,
): Promise<{ readonly run: RunWriter; readonly staleRollouts: number }> {
  const { plan, environment, outputs, resume, signal } = options;
  const metadata = runMetadata(options);
  if (resume === undefined) {
    const folder = join(runsFolder(outputs, environment.name, metadata.model), newRunName());
    return { run: await createRun(folder, metadata), staleRollouts: 0 };
  }
  if (resume.model !== metadata.model)
    throw new ConfigError(
      `Cannot resume ${resume.path}: ${plan.model} is now ${metadata.model}, but the run was played with ${resume.model}. Restore the endpoint in the config file, or start a new run without --resume.`,
    );
  checkSameJudge(resume, options);
  const planned = await plannedExamples(environment, plan, signal);
  let staleRollouts = 0;
  const select = (saved: readonly SavedRollout[]): readonly SavedRollout[] => {
    const current = currentRollouts(saved, planned);
    staleRollouts = saved.length - current.length;
    return completeGroups(current, environment, plan);
  };
  const run = await reopenRun(resume.path, { select, onKept: onExisting, signal });
  // The plan of the run, with the settings that a resumed run can change.
  const { date: _, ...settings } = metadata;
  const queue = resume.queuedRun === undefined ? {} : { queue: null };
  await run.update({ ...queue, ...settings });
  return { run, staleRollouts };
}

/** Throws a `ConfigError` if the rest of a run would be judged by another judge, or with another prompt. */
function checkSameJudge(
  { path, judge: before }: ResumableRun,
  { environment, judge }: EvaluationOptions,
): void {
  const now = judge && judgeMetadata(environment, judge);
  const [namesBefore, namesNow] = [before, now].map(
    (each) => each?.models.join(", ") ?? "no judge",
  );
  const changed = Object.keys({ ...before?.prompts, ...now?.prompts }).find(
    (name) => before?.prompts[name] !== now?.prompts[name],
  );
  const reason =
    namesBefore === namesNow
      ? changed && `the judge's prompt of ${changed} has changed since the run started`
      : `the judge is ${namesNow}, but the run was judged by ${namesBefore}`;
  if (reason === undefined) return;
  throw new ConfigError(
    `Cannot resume ${path}: ${reason}, so its saved rewards and new ones would not be comparable. Restore it, or start a new run without --resume.`,
  );
}
