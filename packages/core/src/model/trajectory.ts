import type { AssistantMessage } from "../message/message.ts";
import type { AgentCall } from "./agent-call.ts";
import type { FinishReason, TokenTrace, Usage } from "./model.ts";
import type { Span } from "./span.ts";

export type { Span };

/** One call of the model within a rollout. */
export interface Turn {
  /** The length of the conversation that the model received, in messages. */
  readonly seen: number;
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage: Usage | undefined;
  /** The exact tokens, if the model reports them. */
  readonly tokens: TokenTrace | undefined;
  /** The model calls that led to the message, if an agent wrote it. */
  readonly calls?: readonly AgentCall[] | undefined;
  readonly model: Span;
  /** The time that the environment took to answer. */
  readonly environment: Span;
}

/** The turns of a rollout, in order. */
export type Trajectory = readonly Turn[];

/** The phases of a rollout. */
export interface Timing {
  readonly setup: Span;
  readonly generation: Span;
  readonly scoring: Span;
}

/** The time for records, in milliseconds since 1970. It never decreases within a process. */
export function now(): number {
  return (timeOrigin ??= performance.timeOrigin) + performance.now();
}

/** Read once, because reading it takes as long as reading the clock. */
let timeOrigin: number | undefined;
