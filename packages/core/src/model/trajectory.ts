import type { Span } from "./clock.ts";
import type { ModelResponse, Reply } from "./model.ts";

/** One call of the model within a rollout. */
export interface Turn extends Reply, Pick<ModelResponse, "server" | "activity"> {
  /** The length of the conversation that the model received, in messages. */
  readonly seen: number;
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
