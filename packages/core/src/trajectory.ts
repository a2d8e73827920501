import type { AssistantMessage } from "./message.ts";
import type { FinishReason, TokenTrace, Usage } from "./model.ts";

/** When something began and ended, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One call of the model within a rollout. */
export interface Turn {
  /** How many messages of the conversation the model had seen. */
  readonly seen: number;
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage: Usage | undefined;
  /** Exact tokens, when the model reports them. */
  readonly tokens: TokenTrace | undefined;
  readonly model: Span;
  /** The environment's answer to it. */
  readonly environment: Span;
}

/** The turns of a rollout, in order. */
export type Trajectory = readonly Turn[];

/** Where the time of a rollout went. */
export interface Timing {
  readonly setup: Span;
  readonly generation: Span;
  readonly scoring: Span;
}

/** The clock that records are stamped with; it never goes back. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
