import type { Renderer } from "../tokenizer/chat-renderer.ts";

/** A prompt to continue. */
export interface SampleRequest {
  readonly promptIds: readonly number[];
  readonly maxTokens: number;
  /** 0 selects the most probable token. */
  readonly temperature: number;
  /** Nucleus sampling: draw from the smallest set of most probable tokens with this total probability. 1 draws from all. */
  readonly topP: number;
  /** Equal requests with equal seeds give equal completions. */
  readonly seed: number;
  /** The conversation that this request continues. Samplers reuse its cached keys and values. */
  readonly session?: number | undefined;
}

/** Sampled tokens, including the stop token. */
export interface Completion {
  readonly ids: readonly number[];
  /** Natural logarithm of the probability that each token was drawn with. */
  readonly logprobs: readonly number[];
  readonly finish: "stop" | "length";
}

/** A language model on the level of tokens. */
export interface Sampler {
  readonly id: string;
  readonly renderer: Renderer;
  /** Maximum length of prompt and completion together, in tokens. */
  readonly contextLength: number;
  sample(requests: readonly SampleRequest[], signal?: AbortSignal): Promise<readonly Completion[]>;
}
