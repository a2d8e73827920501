import type { LossSettings } from "./algorithms/loss-settings.ts";
import type { Renderer } from "./tokenizer/renderer.ts";

/**
 * One training sequence. All arrays have the same length n: input t is followed by target t, and everything else
 * belongs to that target.
 */
export interface Datum {
  readonly inputs: Int32Array;
  readonly targets: Int32Array;
  /** The share of each target in the loss, which is a sum; 0: not trained on (prompts, padding). */
  readonly weights: Float32Array;
  /** Natural log-probabilities of the targets when they were sampled. Policy losses need them. */
  readonly samplingLogprobs?: Float32Array;
  /** Log-probabilities under the policy at the start of the step. Default: `samplingLogprobs`. */
  readonly oldLogprobs?: Float32Array;
  /** Log-probabilities under the reference that a KL term holds to. */
  readonly referenceLogprobs?: Float32Array;
  readonly advantages?: Float32Array;
  /** The temperature that the targets were sampled at: log-probabilities are read at it. Default 1. */
  readonly temperature?: number;
}

/** What a model says of one {@link Datum}: log-probability and entropy (nats) of each target's distribution. */
export interface Forward {
  readonly logprobs: Float32Array;
  /** Left out by backends that do not know it. */
  readonly entropies?: Float32Array;
}

/** What came of one pass over a batch. */
export interface ForwardBackward {
  readonly forwards: readonly Forward[];
  /** Σ weight · loss over all targets of the batch. */
  readonly loss: number;
  /** Sums over trained targets, by name: `tokens`, `clipped`, `ratio`, `kl`, …; divide by `tokens` for means. */
  readonly sums: Readonly<Record<string, number>>;
}

/** One text to continue. */
export interface SampleRequest {
  readonly promptIds: readonly number[];
  readonly maxTokens: number;
  /** 0 takes the most probable token. */
  readonly temperature: number;
  /** Samples among the most probable tokens that have this much probability together; 1: among all. */
  readonly topP: number;
  /** One seed, one completion. */
  readonly seed: number;
  /** Names the conversation that this continues, for caches of what was read before. */
  readonly session?: number;
}

/** What was sampled, the stop token included. Log-probabilities are those that the tokens were drawn with. */
export interface Completion {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly finish: "stop" | "length";
}

/** AdamW: decoupled weight decay, gradients clipped to a global norm first (0: not clipped). */
export interface OptimizerSettings {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly clipNorm: number;
}

/** What a phase of training asks of a backend. */
export interface BackendWork {
  readonly loss: LossSettings;
  /** What is learned from was sampled at this temperature. */
  readonly temperature: number;
}

/** Weights that can be sampled from and trained: what a training loop drives. */
export interface Backend {
  readonly id: string;
  readonly renderer: Renderer;
  /** The longest sequence, prompt and completion together, in tokens. */
  readonly contextLength: number;
  /** Throws a `ConfigError` if the backend cannot do this. Left out by backends that can do everything. */
  check?(work: BackendWork): void;
  sample(requests: readonly SampleRequest[], signal?: AbortSignal): Promise<readonly Completion[]>;
  /** Reads without learning. */
  forward(data: readonly Datum[]): Promise<readonly Forward[]>;
  /** Adds the gradients of a loss to those that wait for the next `optimStep`. */
  forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward>;
  /** Takes one step along the gradients gathered so far, and clears them. A norm of null: the backend does not tell. */
  optimStep(settings: OptimizerSettings): Promise<{ readonly gradientNorm: number | null }>;
  /** Writes weights and optimiser to `path`, where `loadState` finds them. */
  saveState(path: string): Promise<void>;
  loadState(path: string): Promise<void>;
  close(): Promise<void>;
}
