import type { JudgeUsage, Message, ModelResponse, Rollout, Sampling } from "@envs/core";
import type { SeatRollout, Span } from "@envs/core/engine";
import type { Attributes } from "@opentelemetry/api";

import { finishReason, inputMessages, outputMessages } from "./messages.ts";

// The GenAI conventions are in development, so their names are here and in no other file. `test/support/conventions.ts` checks them.

/** The attributes that all rollouts of a run share. */
export interface RunFacts {
  readonly model: string;
  /** The `gen_ai.provider.name` of the model's server. */
  readonly provider: string;
  readonly sampling?: Sampling | undefined;
  /** Whether messages, arguments and explanations are exported. */
  readonly capturesContent: boolean;
}

/** One side of a rollout: the whole episode, or one of its seats. */
export interface SideFacts extends Pick<SeatRollout, "prompt" | "trajectory" | "usage" | "reward"> {
  /** The environment, or the seat. */
  readonly name: string;
  readonly model: string;
  readonly conversation: string;
}

/** An agent that the environment invoked: for an episode, or for one seat of it. */
export function agentAttributes(side: SideFacts, run: RunFacts): Attributes {
  const last = side.trajectory.at(-1);
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": side.name,
    "gen_ai.conversation.id": side.conversation,
    "gen_ai.provider.name": run.provider,
    "gen_ai.request.model": side.model,
    ...usageAttributes(side.usage),
    ...(last === undefined ? {} : replyAttributes(last, side.prompt, run)),
    "envs.reward": side.reward,
  };
}

/** The facts of a rollout that its seats share. */
export function episodeAttributes(rollout: Rollout): Attributes {
  return {
    "envs.example.index": rollout.exampleIndex,
    "envs.rollout.index": rollout.rolloutIndex,
    ...(rollout.status === "scored"
      ? { "envs.stop_reason": rollout.stopReason }
      : { "error.type": rollout.error.code }),
  };
}

/** A call of a model: its reply, or the part of it that arrived before an `error`. */
export interface ChatFacts extends Pick<ModelResponse, "finish" | "usage" | "message" | "server"> {
  readonly model: Span;
  readonly error?: string | undefined;
  /** The name of the model that was asked for. */
  readonly requested: string;
  /** The conversation that the model received. */
  readonly input: readonly Message[];
  readonly sampling?: Sampling | undefined;
  readonly conversation: string;
  /** The wire format of an agent's call. Default: that of the model. */
  readonly dialect?: string | undefined;
}

/** The operation of a call, by the GenAI conventions. */
export function operationOf({ dialect }: Pick<ChatFacts, "dialect">): "chat" | "embeddings" {
  return dialect === "embeddings" ? "embeddings" : "chat";
}

/** A call of a model. */
export function chatAttributes(call: ChatFacts, run: RunFacts): Attributes {
  const { temperature, topP, maxTokens, stop } = call.sampling ?? {};
  const { server, error } = call;
  const operation = operationOf(call);
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": run.provider,
    "gen_ai.conversation.id": call.conversation,
    "gen_ai.request.model": call.requested,
    "gen_ai.request.temperature": temperature,
    "gen_ai.request.top_p": topP,
    "gen_ai.request.max_tokens": maxTokens,
    "gen_ai.request.stop_sequences": stop === undefined ? undefined : [...stop],
    "gen_ai.response.id": server?.responseId,
    "gen_ai.response.model": server?.model,
    // An incomplete reply has the reason `length` in records, which the server has not sent.
    ...(error === undefined ? {} : { "error.type": String(server?.status ?? "_OTHER") }),
    // The conventions have no messages and no tokens of a reply for embeddings.
    ...(operation === "embeddings"
      ? { "gen_ai.usage.input_tokens": call.usage?.inputTokens }
      : { ...usageAttributes(call.usage), ...replyAttributes(call, call.input, run) }),
  };
}

function replyAttributes(
  { message, finish, ...call }: Pick<ChatFacts, "finish" | "message" | "error">,
  input: readonly Message[],
  { capturesContent }: RunFacts,
): Attributes {
  const reason = call.error === undefined ? finish : "error";
  return {
    "gen_ai.response.finish_reasons": [finishReason(reason)],
    ...(capturesContent
      ? {
          "gen_ai.input.messages": JSON.stringify(inputMessages(input)),
          "gen_ai.output.messages": JSON.stringify(outputMessages(message, reason)),
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

function usageAttributes(usage: ModelResponse["usage"]): Attributes {
  return usage === undefined
    ? {}
    : {
        "gen_ai.usage.input_tokens": usage.inputTokens,
        "gen_ai.usage.output_tokens": usage.outputTokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
      };
}
