import type { JudgeUsage, Message, Rollout, Sampling, Turn } from "@envs/core";
import type { Attributes } from "@opentelemetry/api";

// The GenAI conventions are in development, so their names are here and in no other file. They are those of version 1.45.

/** The attributes that all rollouts of a run share. */
export interface RunFacts {
  readonly model: string;
  /** The `gen_ai.provider.name` of the model's server. */
  readonly provider: string;
  readonly sampling?: Sampling | undefined;
  /** Whether messages, arguments and explanations are exported. */
  readonly capturesContent: boolean;
}

/** A rollout: an agent that the environment invoked. */
export function episodeAttributes(rollout: Rollout, run: RunFacts): Attributes {
  const { environment, exampleIndex, rolloutIndex, usage } = rollout;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": environment,
    "gen_ai.conversation.id": conversationOf(rollout),
    "gen_ai.provider.name": run.provider,
    "gen_ai.request.model": run.model,
    ...usageAttributes(usage),
    ...(run.capturesContent ? { "gen_ai.output.messages": json(rollout.completion) } : {}),
    "envs.example.index": exampleIndex,
    "envs.rollout.index": rolloutIndex,
    ...(rollout.status === "scored"
      ? { "envs.reward": rollout.reward, "envs.stop_reason": rollout.stopReason }
      : { "error.type": rollout.error.code }),
  };
}

/** A call of the model. `input` is the conversation that the model received. */
export function chatAttributes(
  turn: Pick<Turn, "finish" | "usage" | "message">,
  input: readonly Message[],
  run: RunFacts,
): Attributes {
  const { temperature, topP, maxTokens, stop } = run.sampling ?? {};
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": run.provider,
    "gen_ai.request.model": run.model,
    "gen_ai.request.temperature": temperature,
    "gen_ai.request.top_p": topP,
    "gen_ai.request.max_tokens": maxTokens,
    "gen_ai.request.stop_sequences": stop === undefined ? undefined : [...stop],
    "gen_ai.response.finish_reasons": [turn.finish],
    ...usageAttributes(turn.usage),
    ...(run.capturesContent
      ? {
          "gen_ai.input.messages": json(input),
          "gen_ai.output.messages": json([turn.message]),
        }
      : {}),
  };
}

/** The calls of a judge for one rollout: records have their sums. */
export function judgeAttributes(
  model: string,
  usage: JudgeUsage,
  { provider }: RunFacts,
): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
    ...usageAttributes(usage),
    "envs.judge.calls": usage.calls,
    "envs.judge.cached": usage.cached,
  };
}

/** A call of a tool, with the text of its result. */
export function toolAttributes(
  call: {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  },
  result: string | undefined,
  { capturesContent }: RunFacts,
): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.function.name,
    "gen_ai.tool.call.id": call.id,
    "gen_ai.tool.type": "function",
    ...(capturesContent
      ? {
          "gen_ai.tool.call.arguments": call.function.arguments,
          "gen_ai.tool.call.result": result,
        }
      : {}),
  };
}

/** The name of the event with one score. */
export const evaluationEvent = "gen_ai.evaluation.result";

/** A score of a rollout. */
export function evaluationAttributes(
  {
    name,
    value,
    feedback,
  }: { readonly name: string; readonly value: number; readonly feedback?: string | undefined },
  { capturesContent }: RunFacts,
): Attributes {
  return {
    "gen_ai.evaluation.name": name,
    "gen_ai.evaluation.score.value": value,
    ...(capturesContent ? { "gen_ai.evaluation.explanation": feedback } : {}),
  };
}

function conversationOf({ exampleKey, rolloutIndex }: Rollout): string {
  return `${exampleKey}/${rolloutIndex}`;
}

function usageAttributes(usage: Turn["usage"]): Attributes {
  return usage === undefined
    ? {}
    : {
        "gen_ai.usage.input_tokens": usage.inputTokens,
        "gen_ai.usage.output_tokens": usage.outputTokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
      };
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
