import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Rollout } from "@envs/core";
import { schemaVersion } from "@envs/records";
import { createRun, readRun } from "@envs/records/node";

import type { SampleRollout } from "../report/training-report.ts";
import { baseModelOf } from "../train/model-settings.ts";
import type { TrainingPosition } from "../train/train.ts";
import type { TrainingRecord } from "./training-folder.ts";

/** Whether the plan saves the rollouts of a step: it saves those of the first step of an RL phase, then of every n-th step. */
export function savesRollouts(
  { phases }: TrainingRecord["plan"],
  { phase, step }: TrainingPosition,
): boolean {
  const settings = phases[phase];
  const interval = settings?.kind === "rl" ? settings.keepRolloutsEvery : 0;
  return interval > 0 && (step % interval === 0 || step === 1);
}

/** Saves the rollouts of a step as a run that `envs view` can open. */
export async function saveRollouts(
  path: string,
  { plan, environment }: TrainingRecord,
  { phase, step, rollouts }: TrainingPosition & { readonly rollouts: readonly Rollout[] },
): Promise<void> {
  const settings = plan.phases[phase];
  if (settings?.kind !== "rl") return;
  const run = await createRun(join(path, "rollouts", `${phase}-${step}`), {
    schema_version: schemaVersion,
    env_id: environment.name,
    env_args: settings.sources[0]?.config ?? {},
    model: `${baseModelOf(plan.model) ?? "tiny"}, step ${step} of ${phase}`,
    num_examples: rollouts.length / settings.rolloutsPerExample,
    rollouts_per_example: settings.rolloutsPerExample,
    seed: plan.seed,
    sampling_args: { temperature: settings.temperature, top_p: settings.topP },
    date: new Date().toISOString(),
    pass_threshold: 0.5,
    is_complete: true,
  });
  for (const rollout of rollouts) await run.append(rollout);
  await run.close();
}

/** Reads a rollout with the median reward from each saved step. */
export async function readSampleRollouts(path: string): Promise<SampleRollout[]> {
  const folder = join(path, "rollouts");
  const names = await readdir(folder).catch(() => []);
  const samples = await Promise.all(
    names.map(async (name): Promise<SampleRollout[]> => {
      const { rollouts } = await readRun(join(folder, name));
      const scored = rollouts
        .filter((rollout) => rollout.status === "scored")
        .toSorted((a, b) => a.reward - b.reward);
      const median = scored[Math.floor(scored.length / 2)];
      const [, phase = "", step = "0"] = /^(.*)-(\d+)$/u.exec(name) ?? [];
      if (median === undefined) return [];
      const { reward, scores, prompt, completion } = median;
      return [{ phase, step: Number(step), reward, scores, messages: [...prompt, ...completion] }];
    }),
  );
  return samples.flat();
}
