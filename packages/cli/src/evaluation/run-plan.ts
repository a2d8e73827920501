import { ConfigError, type Environment } from "@envs/core";
import { checkModels, checkRequirements } from "@envs/core/engine";
import type { ServerUse } from "@envs/models";

import type { ConfigFile } from "../config-file.ts";
import { scoreWeights } from "../environments/describe.ts";
import { environmentFiles } from "../environments/environment-files.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { loadJudge } from "../models/load-judge.ts";
import { loadPlayers } from "../models/load-players.ts";
import { loadSubModel } from "../models/sub-model.ts";
import { promptsSetter } from "../optimization/prompts-file.ts";
import { onInterrupt } from "../terminal/process-events.ts";
import { clean, paint } from "../terminal/text.ts";
import { nearPath, pathArgument } from "../text/run-path.ts";
import { duration } from "../text/time.ts";
import { evaluateAndSave, type EvaluationOutcome } from "./evaluate-and-save.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import { exportRollouts } from "./export-rollouts.ts";
import { failureText } from "./failures.ts";
import { outcomeJson } from "./outcome-json.ts";
import { planWarnings, rejectSharing, rejectUnusedOptions } from "./plan-warnings.ts";
import { priceText } from "./price.ts";
import { progress, type Progress } from "./progress.ts";
import { connectToPush } from "./push-run.ts";
import type { QueueArguments } from "./queue-options.ts";
import { openQueuedPlay } from "./queued-play.ts";
import { checkUnchanged, type ResumableRun } from "./resume.ts";
import { scoreTable } from "./score-table.ts";

export interface RunPlanOptions {
  /** The command that resumes the run. Default: `envs eval`. */
  readonly command?: string | undefined;
  readonly endpoints: NonNullable<ConfigFile["endpoints"]>;
  readonly outputs: string;
  readonly resume: ResumableRun | undefined;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** The options of the queue whose workers play the rollouts. Default: this process plays them. */
  readonly queue?: QueueArguments | undefined;
  /** Pushes the complete run to a hub. */
  readonly push?: { readonly registry: string | undefined } | undefined;
}

/** The result of a plan: the exit code, and the output of `--json`. */
export interface PlanResult {
  /** The run's folder. */
  readonly path: string;
  readonly isComplete: boolean;
  readonly exitCode: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Runs one evaluation with progress output, Ctrl-C handling and a summary. */
export async function runPlan(
  requested: EvaluationPlan,
  options: RunPlanOptions,
): Promise<PlanResult> {
  const { endpoints, outputs, resume, isJson, isQuiet } = options;
  const loaded = await loadEnvironment(requested.environment);
  const withPrompts = await promptsSetter(requested.prompts);
  const environment = withPrompts(loaded.factory(requested.config));
  rejectSharing(requested, options);
  rejectUnusedOptions(requested);
  await checkRequirements(environment);
  // Before the evaluation, which may be costly.
  const hub = options.push && (await connectToPush(loaded, options.push.registry));
  const note = (text: string): void => void (isJson || process.stderr.write(`${text}\n`));
  const warnings: string[] = [];
  const warn = (text: string): void => {
    warnings.push(text);
    note(paint("yellow", text));
  };
  if (loaded.isStale)
    warn(
      `The build of ${environment.name} is older than its sources. If you changed them, rebuild the package.`,
    );
  planWarnings(environment, loaded, requested).forEach(warn);
  const files = await environmentFiles(loaded);
  if (resume !== undefined) checkUnchanged(resume, files);

  const judge = await loadJudge(environment, requested, endpoints);
  const subModel = await loadSubModel(environment, requested, endpoints);
  const judged = { ...requested, judge: judge?.name };
  const { baseURL, apiKeyVariable, concurrency, tokens } = judged;
  const model = await loadPlayers(environment, judged.model, {
    endpoints,
    baseURL,
    apiKeyVariable,
    concurrency,
    tokens: tokens || undefined,
  });
  checkModels(environment, model.models, judged.rotateSeats);
  const { id: name = judged.model } = model.model;
  const isDeclared = hub !== undefined && resume === undefined;
  const plan = isDeclared ? await hub.declare({ environment, plan: judged, model: name }) : judged;
  const queued = await openQueuedPlay({
    args: options.queue ?? {},
    resumed: resume?.queuedRun,
    environment: loaded,
    files,
    plan,
    endpoints,
    outputs,
    note,
  });
  const interrupt = onInterrupt(() =>
    note(paint("yellow", "\nStopping. Press Ctrl-C again to exit immediately.")),
  );
  const exported = await exportRollouts({ model: name, sampling: plan.sampling }, note);
  let display: Progress | undefined;
  try {
    const outcome = await evaluateAndSave({
      plan,
      loaded,
      environment,
      model,
      judge,
      subModel,
      command: options.command,
      outputs,
      resume,
      files,
      play: queued?.play,
      queuedRun: queued?.record,
      signal: interrupt.signal,
      onWarning: warn,
      onEvent(event) {
        display?.handle(event);
        exported?.handle(event);
      },
      onOpen({ path, existing, staleRollouts }) {
        if (staleRollouts > 0) warn(staleText(staleRollouts));
        const total = plan.examples * plan.rolloutsPerExample - existing;
        note(headerText(environment, plan, path, existing));
        if (!isJson && !isQuiet)
          display = progress({
            environment,
            total: Number.isFinite(total) ? total : undefined,
            stream: process.stderr,
            isQueued: queued !== undefined,
          });
      },
    });
    display?.done();
    if (outcome.fatal !== undefined) throw new ConfigError(outcome.fatal);
    if (!isJson) process.stdout.write(summaryText(environment, outcome, options.command));
    for (const use of model.serverUse?.() ?? [])
      if (use.failures > 0) note(paint("yellow", serverText(use)));
    const planned = plan.examples * plan.rolloutsPerExample;
    if (outcome.isComplete && Number.isFinite(planned) && outcome.summary.counts.total < planned)
      warn("The dataset has fewer examples than requested.");
    const isSuccess = outcome.isComplete && outcome.summary.counts.failed === 0;
    const { path, isComplete } = outcome;
    const json = { ...outcomeJson(outcome), ...(warnings.length > 0 && { warnings }) };
    const result = { path, isComplete, exitCode: isSuccess ? 0 : 1, json };
    if (hub === undefined) return result;
    if (!isComplete) {
      note(paint("yellow", "An incomplete run is not pushed."));
      return result;
    }
    const pushed = await hub.push(path, isJson || isQuiet);
    if (!isJson) process.stdout.write(`${pushed.text}\n`);
    return { ...result, json: { ...result.json, pushed: pushed.json } };
  } finally {
    interrupt.dispose();
    await exported?.close();
    await model.close();
    await judge?.close();
    await subModel?.close();
    await queued?.[Symbol.asyncDispose]();
  }
}

function headerText(
  environment: Environment,
  plan: EvaluationPlan,
  path: string,
  savedRollouts: number,
): string {
  const { examples, rolloutsPerExample, model, seed } = plan;
  const size = `${Number.isFinite(examples) ? examples : "all"} ${examples === 1 ? "example" : "examples"} × ${rolloutsPerExample} ${rolloutsPerExample === 1 ? "rollout" : "rollouts"}`;
  const resumed = savedRollouts > 0 ? `, resuming after ${savedRollouts} rollouts` : "";
  const judged = plan.judge === undefined ? "" : ` · judged by ${plan.judge}`;
  const asking = plan.subModel === undefined ? "" : ` · sub-model ${plan.subModel}`;
  return [
    `${paint("bold", environment.name)} · ${paint("bold", model)} · ${size} · seed ${seed}${judged}${asking}${resumed}`,
    paint("dim", `saving to ${nearPath(path)}`),
  ].join("\n");
}

function serverText({ server, requests, failures, lastFailure }: ServerUse): string {
  return `${failures} of ${requests} requests to ${server} failed and were sent again. The last failure: ${lastFailure}`;
}

function staleText(count: number): string {
  const rollouts = count === 1 ? "1 saved rollout does" : `${count} saved rollouts do`;
  return `${rollouts} not count, because the dataset has changed or no longer has their example. They are kept in removed.jsonl.`;
}

function summaryText(
  environment: Environment,
  outcome: EvaluationOutcome,
  command = "envs eval",
): string {
  const { summary, path, time, isComplete } = outcome;
  const failures = failureText(summary, path);
  const lines = [
    "",
    scoreTable(summary, scoreWeights(environment)),
    `${paint("dim", "time".padEnd(9))} ${duration(time)}${costText(outcome)}`,
    ...(outcome.price === undefined
      ? []
      : [`${paint("dim", "prices".padEnd(9))} ${priceText(outcome.price)}`]),
    ...refusalText(outcome),
    `${paint("dim", "saved".padEnd(9))} ${nearPath(path)}`,
  ];
  if (failures !== "") lines.push("", failures);
  if (isComplete && summary.counts.failed === 0)
    lines.push(`${paint("dim", "view".padEnd(9))} envs view ${pathArgument(path)}`);
  else {
    const hint = isComplete
      ? "To retry the failed rollouts"
      : "This run is incomplete. To resume it";
    lines.push("", paint("yellow", `${hint}: ${command} --resume ${pathArgument(path)}`));
  }
  return `${lines.join("\n")}\n`;
}

function refusalText({ subModelRefusals: count }: EvaluationOutcome): readonly string[] {
  const rollouts = count === 1 ? "1 rollout" : `${count} rollouts`;
  return count === 0 ? [] : [paint("yellow", `sub-model budget used up in ${rollouts}`)];
}

/** Without the usage of some rollouts, the cost is a lower bound. */
function costText({
  cost,
  judgeCost,
  subModelCost,
  helperCosts = {},
  summary: { usage },
}: EvaluationOutcome): string {
  const least = usage.unknownRollouts > 0 ? "at least " : "";
  return [
    cost === undefined ? "" : `, cost ${least}${cost.toFixed(4)}`,
    judgeCost === undefined ? "" : `, judge ${judgeCost.toFixed(4)}`,
    subModelCost === undefined ? "" : `, sub-model ${subModelCost.toFixed(4)}`,
    ...Object.entries(helperCosts).map(([name, each]) => `, ${clean(name)} ${each.toFixed(4)}`),
  ].join("");
}
