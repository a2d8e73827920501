import type { AssistantMessage, JudgeUsage, Message, Rollout, ToolCall, Turn } from "@envs/core";
import {
  type Context,
  type Logger,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";

import {
  chatAttributes,
  episodeAttributes,
  evaluationAttributes,
  evaluationEvent,
  judgeAttributes,
  type RunFacts,
  toolAttributes,
} from "./attributes.ts";

/** The tracer and the logger that receive spans and events. */
export interface Instruments {
  readonly tracer: Tracer;
  readonly logger: Logger;
}

/**
 * Writes a finished rollout as a trace, from the times in its record, so that playing is not slowed down. The tools of one turn
 * share the time in which the environment answered it.
 */
export function recordRollout(rollout: Rollout, run: RunFacts, instruments: Instruments): void {
  const { tracer, logger } = instruments;
  const { setup, generation, scoring } = rollout.timing;
  const span = tracer.startSpan(
    `invoke_agent ${rollout.environment}`,
    {
      startTime: setup.start,
      kind: SpanKind.INTERNAL,
      attributes: episodeAttributes(rollout, run),
    },
    ROOT_CONTEXT,
  );
  const context = trace.setSpan(ROOT_CONTEXT, span);
  const messages = [...rollout.prompt, ...rollout.completion];
  const within = { tracer, context, run };
  for (const turn of rollout.trajectory) {
    recordChat(turn, { input: messages.slice(0, turn.seen), model: run.model }, within);
    for (const call of turn.message.tool_calls ?? []) recordTool(call, { turn, messages }, within);
  }
  for (const branch of rollout.branches ?? [])
    recordChat(branch, { input: branch.messages, model: branch.subModel }, within);
  for (const [judge, usage] of Object.entries(rollout.judgeUsage ?? {}))
    recordJudge(judge, { usage, scoring }, within);
  if (rollout.status === "failed") fail(span, rollout.error.message);
  else
    for (const { name, value, feedback } of results(rollout))
      logger.emit({
        eventName: evaluationEvent,
        timestamp: scoring.end,
        context,
        attributes: evaluationAttributes({ name, value, feedback }, run),
      });
  span.end(Math.max(generation.end, scoring.end));
}

interface Within {
  readonly tracer: Tracer;
  readonly context: Context;
  readonly run: RunFacts;
}

function recordChat(
  turn: Pick<Turn, "finish" | "usage" | "message" | "model">,
  { input, model }: { readonly input: readonly Message[]; readonly model: string },
  { tracer, context, run }: Within,
): void {
  const attributes = chatAttributes(turn, input, { ...run, model });
  const options = { startTime: turn.model.start, kind: SpanKind.CLIENT, attributes };
  tracer.startSpan(`chat ${model}`, options, context).end(turn.model.end);
}

/** The calls of a judge share the time of the scoring. */
function recordJudge(
  judge: string,
  {
    usage,
    scoring,
  }: { readonly usage: JudgeUsage; readonly scoring: Rollout["timing"]["scoring"] },
  { tracer, context, run }: Within,
): void {
  const attributes = judgeAttributes(judge, usage, run);
  const options = { startTime: scoring.start, kind: SpanKind.CLIENT, attributes };
  tracer.startSpan(`chat ${judge}`, options, context).end(scoring.end);
}

function recordTool(
  call: ToolCall,
  { turn, messages }: { readonly turn: Turn; readonly messages: readonly Message[] },
  { tracer, context, run }: Within,
): void {
  const result = messages
    .slice(turn.seen)
    .find((message) => message.role === "tool" && message.tool_call_id === call.id);
  const text = result === undefined ? undefined : textOf(result);
  const options = {
    startTime: turn.environment.start,
    kind: SpanKind.INTERNAL,
    attributes: toolAttributes(call, text, run),
  };
  tracer
    .startSpan(`execute_tool ${call.function.name}`, options, context)
    .end(turn.environment.end);
}

function textOf({ content }: Message | AssistantMessage): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

interface Result {
  readonly name: string;
  readonly value: number;
  readonly feedback: string | undefined;
}

/** The reward and the scores that apply. */
function results(rollout: Extract<Rollout, { status: "scored" }>): readonly Result[] {
  const scores = Object.entries(rollout.scores).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value, feedback: rollout.feedback?.[name] }],
  );
  return [{ name: "reward", value: rollout.reward, feedback: undefined }, ...scores];
}

function fail(span: Span, message: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
