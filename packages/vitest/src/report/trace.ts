import type { Rollout, Turn } from "@envs/core";

import type { JsonObject } from "./json.ts";

/** One operation of a trial, as the report of vitest-evals 0.16 reads it. */
interface ReportSpan {
  readonly id: string;
  readonly parentId?: string;
  readonly name: string;
  readonly kind: "run" | "model";
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly durationMs: number;
  readonly status: "ok" | "error";
  readonly error?: { readonly message: string; readonly type: string };
  readonly attributes: JsonObject;
}

/** The operations of one trial. */
export interface ReportTrace {
  readonly name: string;
  readonly spans: readonly ReportSpan[];
}

type Span = Turn["model"];

/** The calls of the model in a trial, with their times and tokens. */
export function traceOf(trial: Rollout, model: string): ReportTrace {
  const name = `trial ${trial.rolloutIndex}`;
  const { setup, generation, scoring } = trial.timing;
  const whole = { start: setup.start, end: Math.max(generation.end, scoring.end) };
  const id = `trial-${trial.rolloutIndex}`;
  const root: ReportSpan = {
    id,
    name,
    kind: "run",
    ...times(whole),
    status: trial.status === "failed" ? "error" : "ok",
    ...(trial.status === "failed"
      ? { error: { message: trial.error.message, type: trial.error.code } }
      : {}),
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": trial.environment },
  };
  const calls = trial.trajectory.map((turn, index): ReportSpan => ({
    id: `${id}-turn-${index}`,
    parentId: id,
    name: `chat ${model}`,
    kind: "model",
    ...times(turn.model),
    status: "ok",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": model,
      "gen_ai.response.finish_reasons": [turn.finish],
      ...(turn.usage === undefined
        ? {}
        : {
            "gen_ai.usage.input_tokens": turn.usage.inputTokens,
            "gen_ai.usage.output_tokens": turn.usage.outputTokens,
          }),
    },
  }));
  return { name, spans: [root, ...calls] };
}

function times({ start, end }: Span): Pick<ReportSpan, "startedAt" | "finishedAt" | "durationMs"> {
  return {
    startedAt: new Date(start).toISOString(),
    finishedAt: new Date(end).toISOString(),
    durationMs: end - start,
  };
}
