import { join } from "node:path";

import { clean, formatTable, paint } from "@envs/cli/kit";
import type { JudgePlan, SubModelPlan } from "@envs/cli/kit/models";
import {
  type EvaluationPlan,
  findResumableRun,
  runPlan,
  type RunPlanOptions,
} from "@envs/cli/kit/runs";
import type { SuiteEntry } from "@envs/hub-client";
import { findRuns, readMetadata } from "@envs/records/node";

import { environmentOf, type Suite } from "./suite-file.ts";

/** A model, and how to reach it. */
type SuiteModel = Pick<
  EvaluationPlan,
  "model" | "baseURL" | "apiKeyVariable" | "concurrency" | "retry"
> &
  JudgePlan &
  SubModelPlan;

/** The result of one evaluation of a suite. */
interface SuiteResult {
  readonly environment: string;
  readonly version: string;
  readonly path: string;
  /** The mean reward; `undefined` if no rollout was scored. */
  readonly reward: number | undefined;
  readonly isComplete: boolean;
  /** The exit code of its evaluation; 0 for one that an earlier command completed. */
  readonly exitCode: number;
}

/**
 * Runs all evaluations of a suite with one model. Each has a folder that depends only on the suite and the model, so a second
 * call skips complete evaluations and resumes others.
 */
export async function runSuite(
  suite: Suite,
  model: SuiteModel,
  options: Omit<RunPlanOptions, "resume">,
): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const [index, entry] of suite.entries.entries()) {
    const outputs = join(options.outputs, "suites", folderName(suite, model.model), String(index));
    const { exitCode, path } = await runEntry({ suite, entry, model }, { ...options, outputs });
    const { avg_reward: reward, is_complete: isComplete } = await readMetadata(path);
    results.push({
      environment: entry.environment,
      version: entry.version,
      path,
      reward: reward ?? undefined,
      isComplete: isComplete !== false,
      exitCode,
    });
  }
  return results;
}

interface Evaluation {
  readonly suite: Suite;
  readonly entry: SuiteEntry;
  readonly model: SuiteModel;
}

async function runEntry(
  { suite, entry, model }: Evaluation,
  options: Omit<RunPlanOptions, "resume">,
): Promise<{ readonly exitCode: number; readonly path: string }> {
  const [existing] = await findRuns(options.outputs);
  if (existing === undefined)
    return await runPlan(await planOf({ suite, entry, model }), { ...options, resume: undefined });
  if ((await readMetadata(existing))["is_complete"] !== false)
    return { exitCode: 0, path: existing };
  const resume = await findResumableRun(existing, options.outputs);
  const judge = model.judge ?? resume.plan.judge;
  const subModel = model.subModel ?? resume.plan.subModel;
  return await runPlan({ ...resume.plan, ...model, judge, subModel }, { ...options, resume });
}

async function planOf({ suite, entry, model }: Evaluation): Promise<EvaluationPlan> {
  const { config, split, seed, examples, rolloutsPerExample } = entry;
  return {
    ...model,
    environment: await environmentOf(suite, entry),
    config,
    sampling: {},
    examples,
    rolloutsPerExample,
    seed,
    split,
    shuffle: false,
    tokens: false,
    suite: `${suite.name}@${suite.version}`,
  };
}

function folderName({ name, version }: Suite, model: string): string {
  return `${name}@${version}--${model}`.replaceAll(/[^\w.@-]+/g, "-");
}

/** Formats the rewards of a suite's evaluations as one table, with their mean. */
export function suiteTable(title: string, results: readonly SuiteResult[]): string {
  const rewards = results.flatMap(({ reward }) => reward ?? []);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  return [
    paint("bold", clean(title)),
    formatTable([
      ["environment", "version", "reward"].map((head) => paint("dim", head)),
      ...results.map(({ environment, version, reward, isComplete }) => [
        clean(environment),
        clean(version),
        `${reward?.toFixed(3) ?? "no score"}${isComplete ? "" : " (incomplete)"}`,
      ]),
      ["mean", "", rewards.length === results.length ? mean.toFixed(3) : ""],
    ]),
  ].join("\n");
}
