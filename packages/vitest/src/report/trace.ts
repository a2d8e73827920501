import type { Rollout, Turn } from "@envs/core";
import type { NormalizedSpan, NormalizedTrace } from "@vitest-evals/core";

type Span = Turn["model"];

/** The calls of the model in a trial, with their times and tokens, as the report of vitest-evals 0.16 reads them. */
export function traceOf(trial: Rollout, model: string): NormalizedTrace {
  const name = `trial ${trial.rolloutIndex}`;
  const { setup, generation, scoring } = trial.timing;
  const whole = { start: setup.start, end: Math.max(generation.end, scoring.end) };
  const id = `trial-${trial.rolloutIndex}`;
  const root: NormalizedSpan = {
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
  const calls = trial.trajectory.map((turn, index): NormalizedSpan => ({
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

function times({
  start,
  end,
}: Span): Pick<NormalizedSpan, "startedAt" | "finishedAt" | "durationMs"> {
  return {
    startedAt: new Date(start).toISOString(),
    finishedAt: new Date(end).toISOString(),
    durationMs: end - start,
  };
}
