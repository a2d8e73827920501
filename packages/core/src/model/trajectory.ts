import type { AssistantMessage } from "../message/message.ts";
import type { Span } from "./clock.ts";
import type { AgentCall, FinishReason } from "./model.ts";
import type { TokenTrace, Usage } from "./usage.ts";

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
