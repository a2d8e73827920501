import { type Environment, ConfigError } from "@envs/core";
import { onInterrupt, paint } from "@envs/terminal";

import type { ConfigFile } from "../config-file.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { weightsOf } from "../environments/score-weights.ts";
import { loadModel } from "../models/load-model.ts";
import { duration, progress, type Progress } from "../render/progress.ts";
import { nearPath } from "../render/run-summary.ts";
import { scoreTable } from "../render/score-table.ts";
import { evaluateAndSave, type EvaluationOutcome } from "./evaluate-and-save.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import type { ResumableRun } from "./resume.ts";

export interface RunPlanOptions {
  /** The command that goes on with the run, if it is not `envs eval`. */
  readonly command?: string;
  readonly endpoints: NonNullable<ConfigFile["endpoints"]>;
  readonly outputs: string;
  readonly resume: ResumableRun | undefined;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** What a plan came to: the exit code, and what `--json` prints. */
export interface PlanResult {
  /** The run's folder. */
  readonly path: string;
  readonly isComplete: boolean;
  readonly exitCode: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Runs one evaluation for a person: progress, Ctrl-C, the table at the end. */
export async function runPlan(plan: EvaluationPlan, options: RunPlanOptions): Promise<PlanResult> {
  const { endpoints, outputs, resume, isJson, isQuiet } = options;
  const loaded = await loadEnvironment(plan.environment);
  const environment = loaded.factory(plan.config);
  const note = (text: string): void => void (isJson || process.stderr.write(`${text}\n`));
  if (loaded.isStale)
    note(
      paint(
        "yellow",
        `${environment.name} was built before its sources were last touched. If you changed them, build it first.`,
      ),
    );
  if (resume?.contentHash !== undefined && resume.contentHash !== loaded.contentHash)
    note(
      paint(
        "yellow",
        `${environment.name} has changed since this run began: its rollouts may not compare.`,
      ),
    );

  const { baseURL, apiKeyVariable, concurrency, tokens } = plan;
  const model = await loadModel(plan.model, {
    endpoints,
    baseURL,
    apiKeyVariable,
    concurrency,
    ...(tokens ? { tokens } : {}),
  });
  const interrupt = onInterrupt(() =>
    note(paint("yellow", "\nStopping. Press Ctrl-C again to leave at once.")),
  );
  let shown: Progress | undefined;
  try {
    const outcome = await evaluateAndSave({
      plan,
      loaded,
      environment,
      model,
      outputs,
      resume: resume?.path,
      signal: interrupt.signal,
      onEvent: (event) => shown?.handle(event),
      onOpen({ path, kept }) {
        const total = plan.examples * plan.rolloutsPerExample - kept.length;
        note(opening(environment, plan, { path, kept: kept.length }));
        if (!isJson && !isQuiet)
          shown = progress({
            environment,
            total: Number.isFinite(total) ? total : undefined,
            stream: process.stderr,
          });
      },
    });
    shown?.done();
    if (outcome.fatal !== undefined) throw new ConfigError(outcome.fatal);
    if (!isJson) process.stdout.write(closing(environment, outcome, options.command));
    const asked = plan.examples * plan.rolloutsPerExample;
    if (outcome.isComplete && Number.isFinite(asked) && outcome.summary.counts.total < asked)
      note(paint("yellow", "The dataset has fewer examples than were asked for."));
    const isWell = outcome.isComplete && outcome.summary.counts.failed === 0;
    const { path, isComplete } = outcome;
    return { path, isComplete, exitCode: isWell ? 0 : 1, json: jsonOf(outcome) };
  } finally {
    interrupt.dispose();
    await model.close();
  }
}

function opening(
  environment: Environment,
  plan: EvaluationPlan,
  { path, kept }: { path: string; kept: number },
): string {
  const { examples, rolloutsPerExample, model, seed } = plan;
  const size = `${Number.isFinite(examples) ? examples : "all"} ${examples === 1 ? "example" : "examples"} × ${rolloutsPerExample} ${rolloutsPerExample === 1 ? "rollout" : "rollouts"}`;
  const resumed = kept > 0 ? `, ${kept} rollouts are there already` : "";
  return [
    `${paint("bold", environment.name)} · ${paint("bold", model)} · ${size} · seed ${seed}${resumed}`,
    paint("dim", `saving to ${nearPath(path)}`),
  ].join("\n");
}

function closing(
  environment: Environment,
  outcome: EvaluationOutcome,
  command = "envs eval",
): string {
  const { summary, path, time, cost, isComplete } = outcome;
  const lines = [
    "",
    scoreTable(summary, weightsOf(environment)),
    `${paint("dim", "time".padEnd(9))} ${duration(time)}${cost === undefined ? "" : `, cost ${cost.toFixed(4)}`}`,
    `${paint("dim", "saved".padEnd(9))} ${nearPath(path)}`,
  ];
  if (isComplete && summary.counts.failed === 0)
    lines.push(`${paint("dim", "read it".padEnd(9))} envs view ${nearPath(path)}`);
  else {
    const why = isComplete
      ? "To play the failed rollouts again"
      : "This run is not complete. To go on with it";
    lines.push("", paint("yellow", `${why}: ${command} --resume ${nearPath(path)}`));
  }
  return `${lines.join("\n")}\n`;
}

function jsonOf({ path, summary, time, cost, isComplete }: EvaluationOutcome): PlanResult["json"] {
  return {
    run: path,
    is_complete: isComplete,
    counts: summary.counts,
    reward: summary.reward,
    scores: summary.scores,
    failures: summary.failures,
    stop_reasons: summary.stopReasons,
    pass_at_k: summary.passAtK,
    pass_all_k: summary.passHatK,
    usage: { input_tokens: summary.usage.inputTokens, output_tokens: summary.usage.outputTokens },
    time,
    ...(cost === undefined ? {} : { cost }),
  };
}
