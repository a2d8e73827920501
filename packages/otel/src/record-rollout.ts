import type { JudgeUsage, Message, Rollout, ToolCall, Turn } from "@envs/core";
import type { AgentCall, SeatRollout, Span } from "@envs/core/engine";
import {
  type Context,
  type Logger,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";

import {
  agentAttributes,
  chatAttributes,
  type ChatFacts,
  episodeAttributes,
  evaluationAttributes,
  evaluationEvent,
  judgeAttributes,
  operationOf,
  type RunFacts,
  type SideFacts,
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
  const { environment, exampleKey, rolloutIndex, seat, otherSeats = {}, timing } = rollout;
  const conversation = `${exampleKey}/${rolloutIndex}`;
  const end = Math.max(timing.generation.end, timing.scoring.end);
  const own: Side = {
    ...rollout,
    ...(rollout.status === "failed" ? { reward: undefined } : {}),
    name: environment,
    model: run.model,
    conversation,
  };
  const times = { start: timing.setup.start, end };
  const episode = startAgent(own, { ...instruments, run, context: ROOT_CONTEXT, times });
  episode.span.setAttributes(episodeAttributes(rollout));
  const within = { ...instruments, run, context: episode.context, times };
  const scoring = timing.scoring;
  if (seat === undefined) recordSide(own, scoring, within);
  else
    for (const [name, side] of Object.entries({ [seat]: own, ...otherSeats })) {
      const { model = run.model } = side;
      const seated = { ...side, name, model, conversation: `${conversation}/${name}` };
      const { span, context } = startAgent(seated, within);
      recordSide(seated, scoring, { ...within, context });
      span.end(end);
    }
  for (const branch of rollout.branches ?? []) {
    const call = { ...branch, requested: branch.subModel, input: branch.messages, conversation };
    recordChat({ ...call, sampling: run.sampling }, within);
  }
  if (rollout.status === "failed")
    episode.span.setStatus({ code: SpanStatusCode.ERROR, message: rollout.error.message });
  episode.span.end(end);
}

interface Within extends Instruments {
  readonly context: Context;
  readonly run: RunFacts;
  /** The times of the episode. */
  readonly times: Span;
}

/** One side of a rollout, with its scores and the calls of its judges. */
interface Side
  extends
    SideFacts,
    Pick<
      SeatRollout,
      "completion" | "unfinishedCalls" | "judgeCalls" | "judgeUsage" | "scores" | "feedback"
    > {}

function startAgent(side: Side, { tracer, context, run, times }: Within) {
  const attributes = agentAttributes(side, run);
  const options = { startTime: times.start, kind: SpanKind.INTERNAL, attributes };
  const span = tracer.startSpan(`invoke_agent ${side.name}`, options, context);
  return { span, context: trace.setSpan(context, span) };
}

/** Writes the calls of a side's model or agent, its tools, its judges and its scores. */
function recordSide(side: Side, scoring: Span, within: Within): void {
  const { prompt, completion, trajectory, unfinishedCalls = [], judgeCalls = [] } = side;
  const { model, conversation } = side;
  const { logger, run, context } = within;
  const { sampling } = run;
  const messages = [...prompt, ...completion];
  for (const turn of trajectory) {
    const input = messages.slice(0, turn.seen);
    // An agent's turn is what its calls led to, and no call of a model itself.
    if (turn.calls === undefined)
      recordChat({ ...turn, requested: model, input, conversation, sampling }, within);
    for (const call of turn.calls ?? []) recordCall(call, conversation, within);
    for (const call of turn.message.tool_calls ?? []) recordTool(call, { turn, messages }, within);
  }
  for (const call of unfinishedCalls) recordCall(call, conversation, within);
  for (const { judge, messages: asked, ...call } of judgeCalls)
    recordChat({ ...call, requested: judge, input: asked, conversation }, within);
  const isListed = new Set(judgeCalls.map(({ judge }) => judge));
  for (const [judge, usage] of Object.entries(side.judgeUsage ?? {}))
    if (!isListed.has(judge)) recordJudge(judge, { usage, scoring }, within);
  for (const result of results(side))
    logger.emit({
      eventName: evaluationEvent,
      timestamp: scoring.end,
      context,
      attributes: evaluationAttributes(result, run),
    });
}

/** A call of an agent, with the name and the sampling that it asked for. */
function recordCall(call: AgentCall, conversation: string, within: Within): void {
  const { requestedModel: requested, messages: input } = call;
  recordChat({ ...call, requested, input, conversation }, within);
}

function recordChat(call: ChatFacts, { tracer, context, run }: Within): void {
  const attributes = chatAttributes(call, run);
  const options = { startTime: call.model.start, kind: SpanKind.CLIENT, attributes };
  const span = tracer.startSpan(`${operationOf(call)} ${call.requested}`, options, context);
  if (call.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: call.error });
  span.end(call.model.end);
}

/** A judge of a saved rollout, whose record has the sum of its calls: they share the time of the scoring. */
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

function textOf({ content }: Message): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

interface Result {
  readonly name: string;
  readonly value: number;
  readonly feedback: string | undefined;
}

/** The reward and the scores that apply. */
function results({ reward, scores = {}, feedback }: Side): readonly Result[] {
  if (reward === undefined) return [];
  const applying = Object.entries(scores).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value, feedback: feedback?.[name] }],
  );
  return [{ name: "reward", value: reward, feedback: undefined }, ...applying];
}
