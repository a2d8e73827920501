import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { coreVersion, FailureError, version as cliVersion } from "@envs/cli/kit";
import { nearPath, pathArgument } from "@envs/cli/kit/layout";
import type { Rollout } from "@envs/core";
import { readRun } from "@envs/records/node";
import { baseModelOf, readMetrics, readRecord, type TrainingRecord } from "@envs/trainer/node";

import { timestampOf } from "./evaluation-upload.ts";
import { type LocalRun, partsOf, type PartSource, rowsOf, totalsOf } from "./run-parts.ts";

/** Reads a training to push: its curves, and the rollouts that it saved. Throws a `FailureError` if it is incomplete. */
export async function readTraining(
  path: string,
  modelPackage: string | undefined,
): Promise<LocalRun> {
  const record = await readRecord(path);
  const { plan, environment, versions, command } = record;
  if (!record.is_complete)
    throw new FailureError(
      `${nearPath(path)} is incomplete. Resume it first: envs train --resume ${pathArgument(path)}`,
    );
  if (typeof environment.package !== "string" || environment.version === null)
    throw new FailureError(
      `${nearPath(path)} does not name the version of the package that it trained on, so a hub cannot check it. Publish the environment and train on the package by its name.`,
    );
  const steps = await savedSteps(path);
  const rollouts = steps.flatMap((step) => step.rollouts);
  const { parts, contentOf } = partsOf([
    { kind: "metrics", values: await readMetrics(join(path, "metrics.jsonl")) },
    ...steps.map(({ phase, step, rollouts }): PartSource => ({
      kind: "rollouts",
      phase,
      step,
      values: rowsOf(rollouts),
    })),
  ]);
  return {
    package: {
      name: environment.package,
      version: environment.version,
      contentHash: environment.content_hash,
    },
    rollouts: rollouts.length,
    upload: {
      kind: "training",
      ...settingsOf(plan),
      seed: plan.seed,
      split: null,
      declaration: null,
      driver: `envs train ${versions["@envs/cli"] ?? cliVersion}`,
      coreVersion: versions["@envs/core"] ?? coreVersion,
      price: null,
      details: { command, plan: JSON.parse(JSON.stringify(plan)) as unknown },
      modelPackage: modelPackage ?? null,
      startedAt: timestampOf(record.date),
      ...totalsOf(rollouts),
      parts: [...parts],
    },
    contentOf,
  };
}

/** The model before the training, and the config and sampling of its first phase of reinforcement learning. */
function settingsOf({
  model,
  phases,
}: TrainingRecord["plan"]): Pick<LocalRun["upload"], "model" | "config" | "sampling"> {
  const rl = Object.values(phases).find((phase) => phase.kind === "rl");
  return {
    model: baseModelOf(model) ?? ("from" in model && model.from ? model.from : "a new tiny model"),
    config: rl?.sources[0]?.config ?? {},
    sampling: rl === undefined ? {} : { temperature: rl.temperature, top_p: rl.topP },
  };
}

interface SavedStep {
  readonly phase: string;
  readonly step: number;
  readonly rollouts: readonly Rollout[];
}

/** Reads the rollouts that a training saved, in the order of its steps. */
async function savedSteps(path: string): Promise<readonly SavedStep[]> {
  const folder = join(path, "rollouts");
  const names = await readdir(folder).catch(() => []);
  const steps: SavedStep[] = [];
  for (const name of names) {
    const [, phase = "", step = "0"] = /^(.*)-(\d+)$/u.exec(name) ?? [];
    const { rollouts } = await readRun(join(folder, name));
    steps.push({ phase, step: Number(step), rollouts });
  }
  return steps.toSorted((a, b) =>
    a.phase < b.phase ? -1 : a.phase > b.phase ? 1 : a.step - b.step,
  );
}
