import type { Environment, Rollout } from "@envs/core";
import type { NormalizedTrace, TranscriptEvent } from "@vitest-evals/core";

import { exampleProblem, verdictText } from "../example-problem.ts";
import type { SuitePlan } from "../options.ts";
import { type ExampleOutcome, scoredOf } from "../outcome.ts";
import { asJson, type Json, type JsonObject } from "./json.ts";
import { traceOf } from "./trace.ts";
import { transcriptOf } from "./transcript.ts";

/** One score of a test, in the JSON of vitest-evals 0.16. */
export interface ReportScore {
  readonly name: string;
  readonly score: number | null;
  readonly metadata?: JsonObject;
}

/** The `meta` of a test, as the report and the GitHub action of vitest-evals 0.16 read it in vitest's JSON report. */
export interface ExampleMeta {
  readonly eval: {
    readonly scores: readonly ReportScore[];
    readonly avgScore: number | null;
    readonly output: Json;
    readonly thresholdFailed: boolean;
  };
  readonly harness: {
    readonly name: string;
    readonly run: {
      readonly output: Json;
      readonly session: { readonly events: readonly TranscriptEvent[]; readonly model: string };
      readonly usage: Readonly<Record<string, number | string>>;
      readonly timings: { readonly totalMs: number };
      readonly artifacts: JsonObject;
      readonly traces: readonly NormalizedTrace[];
      readonly errors: readonly JsonObject[];
    };
  };
}

/** Describes the trials of an example. The session is that of the first trial that did not pass, else of the first. */
export function exampleMeta(
  outcome: ExampleOutcome,
  { environment, plan }: { readonly environment: Environment; readonly plan: SuitePlan },
): ExampleMeta {
  const { trials } = outcome;
  const scored = scoredOf(trials);
  const model = plan.model.id ?? "model";
  const isPassed = (trial: Rollout): boolean =>
    trial.status === "scored" && trial.reward >= plan.passThreshold;
  const shown = trials.find((trial) => !isPassed(trial)) ?? trials[0]!;
  const output = shown.trajectory.at(-1)?.message.content ?? "";
  const share = scored.length === 0 ? null : outcome.passed / scored.length;
  return {
    eval: {
      scores: [
        { name: "pass rate", score: share, metadata: { rationale: verdictText(outcome) } },
        ...meanScores(scored),
      ],
      avgScore: share,
      output,
      thresholdFailed: exampleProblem(outcome, plan) !== undefined,
    },
    harness: {
      name: environment.name,
      run: {
        output,
        session: { events: transcriptOf([...shown.prompt, ...shown.completion]), model },
        usage: usageOf(trials, model),
        timings: { totalMs: trials.reduce((sum, { timing }) => sum + durationOf(timing), 0) },
        artifacts: {
          example: asJson(shown.example),
          verdict: outcome.verdict,
          shownTrial: shown.rolloutIndex,
          trials: trials.map((trial) => trialOf(trial, isPassed(trial))),
        },
        traces: trials.map((trial) => traceOf(trial, model)),
        errors: trials.flatMap((trial) =>
          trial.status === "failed"
            ? [
                {
                  type: trial.error.code,
                  message: trial.error.message,
                  trial: trial.rolloutIndex,
                },
              ]
            : [],
        ),
      },
    },
  };
}

function meanScores(scored: ReturnType<typeof scoredOf>): readonly ReportScore[] {
  const names = new Set(scored.flatMap(({ scores }) => Object.keys(scores)));
  return [...names].map((name) => {
    const values = scored.flatMap(({ scores }) => scores[name] ?? []);
    const sum = values.reduce((total, value) => total + value, 0);
    return {
      name,
      score: values.length === 0 ? null : sum / values.length,
      metadata: { trials: values },
    };
  });
}

/** The tokens of all trials. Omitted where a model does not report them: unknown is not 0. */
function usageOf(trials: readonly Rollout[], model: string): Record<string, number | string> {
  const toolCalls = trials.reduce(
    (sum, { completion }) => sum + completion.filter(({ role }) => role === "tool").length,
    0,
  );
  const known = trials.flatMap(({ usage }) => usage ?? []);
  if (known.length < trials.length) return { model, toolCalls };
  const inputTokens = known.reduce((sum, usage) => sum + usage.inputTokens, 0);
  const outputTokens = known.reduce((sum, usage) => sum + usage.outputTokens, 0);
  return { model, toolCalls, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

function durationOf({ setup, generation, scoring }: Rollout["timing"]): number {
  return Math.max(generation.end, scoring.end) - setup.start;
}

function trialOf(trial: Rollout, isPassed: boolean): JsonObject {
  const { rolloutIndex } = trial;
  if (trial.status === "failed")
    return { trial: rolloutIndex, status: "failed", code: trial.error.code };
  const { reward, stopReason, isTruncated } = trial;
  return {
    trial: rolloutIndex,
    status: isPassed ? "passed" : "not passed",
    reward,
    scores: asJson(trial.scores),
    feedback: asJson(trial.feedback ?? {}),
    stopReason,
    isTruncated,
  };
}
