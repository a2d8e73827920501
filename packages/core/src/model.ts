import type { AssistantMessage, Message } from "./message.ts";

/** How a model chooses its words. What is left out is left to the model. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  /** The longest reply of one turn, in tokens. */
  readonly maxTokens?: number;
  /** Texts that end a reply; they are not part of it. */
  readonly stop?: readonly string[];
}

/** A tool as a model is told of it. `parameters` is JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Asks one of the environment's own policies what it would say now. */
export type AskPolicy = (name: string, parameter?: number) => Promise<AssistantMessage>;

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly sampling?: Sampling;
  /** Set anew for each turn of each rollout, from the run's seed: what a local model samples with. */
  readonly seed?: number;
  readonly signal: AbortSignal;
  /** The door to the environment's policies; `policy()` uses it, a language model does not. */
  readonly askPolicy?: AskPolicy;
}

/** Why a model stopped talking. `length`: it ran into its token limit. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** Tokens of one model call, as its server counts them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The exact tokens of one model call, for trainers. The two completion lists have the same length. */
export interface TokenTrace {
  readonly promptIds: readonly number[];
  readonly completionIds: readonly number[];
  /** Natural logarithms of the sampling probabilities. */
  readonly completionLogprobs: readonly number[];
}

export interface ModelResponse {
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage?: Usage;
  readonly tokens?: TokenTrace;
}

/** Refuses what is no answer: a model is often a stranger's function. */
export function checkResponse(response: Partial<ModelResponse> | undefined): ModelResponse {
  if (typeof response?.message?.content === "string") return response as ModelResponse;
  throw new TypeError("The answer has no message whose content is text.");
}

/** What a model may want to know about an environment before it plays it. */
export interface ModelCheck {
  readonly name: string;
  readonly policies: readonly string[];
}

/** A model is a function from a conversation to its next message. */
export interface Model {
  (request: ModelRequest): Promise<ModelResponse>;
  /** Names the model in records and tables. */
  readonly id?: string;
  /** Throws a `ConfigError` if this model cannot play the environment. Called before any rollout. */
  readonly check?: (environment: ModelCheck) => void;
}

/** The tokens of several calls together. */
export function addUsage(left: Usage, right: Usage | undefined): Usage {
  if (right === undefined) return left;
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  };
}
