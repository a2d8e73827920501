import type { AdamWSettings, Sampler, TargetSequence } from "@envs/tiny-model";

import type { LossSettings } from "./algorithms/loss-settings.ts";

/** A training sequence. All arrays have one number per target. */
export interface Datum extends TargetSequence {
  /** The weight of each target in the loss, which is a sum. 0 excludes the target (prompts, padding). */
  readonly weights: Float32Array;
  /** Natural log-probabilities that the targets were sampled with. Policy losses need them. */
  readonly samplingLogprobs?: Float32Array | undefined;
  /** Log-probabilities under the policy at the start of the step. Default: `samplingLogprobs`. */
  readonly oldLogprobs?: Float32Array | undefined;
  /** Log-probabilities under the reference model of the KL penalty. */
  readonly referenceLogprobs?: Float32Array | undefined;
  readonly advantages?: Float32Array | undefined;
  /** The sampling temperature of the targets; log-probabilities are computed at this temperature. Default 1. */
  readonly temperature?: number | undefined;
}

/** The model's output for one {@link Datum}: one number per target. */
export interface Forward {
  readonly logprobs: Float32Array;
  /** In nats. Undefined if the backend does not report entropies. */
  readonly entropies?: Float32Array | undefined;
}

/** The result of one forward and backward pass over a batch. */
export interface ForwardBackward {
  readonly forwards: readonly Forward[];
  /** Σ weight · loss over all targets of the batch. */
  readonly loss: number;
  /** Sums over trained targets, by name: `tokens`, `clipped`, `ratio`, `kl`, …; divide by `tokens` for means. */
  readonly sums: Readonly<Record<string, number>>;
}

/** The requirements of a training phase on its backend. */
export interface BackendRequirements {
  readonly loss: LossSettings;
  /** The sampling temperature of the training data. */
  readonly temperature: number;
}

export interface LoadOptions {
  /** Loads the weights alone: the optimizer starts fresh. Default false. */
  readonly resetsOptimizer?: boolean | undefined;
}

/** The weights of a backend, for other processes: a checkpoint of a tiny model, or a path on a service. */
export type SamplingWeights =
  | { readonly checkpoint: Uint8Array }
  | { readonly path: string; readonly contextLength: number };

/** The files of a LoRA adapter in the format of PEFT, which vLLM, SGLang and the converter of llama.cpp read. */
export interface AdapterFiles {
  /** `adapter_config.json`. */
  readonly config: Uint8Array;
  /** `adapter_model.safetensors`. */
  readonly weights: Uint8Array;
}

/** A model that the training loop can sample from and train. */
export interface Backend extends Sampler {
  /**
   * Throws a `ConfigError` if the backend does not support the phase. A service may be asked, without cost. Optional: a
   * backend without it supports all phases.
   */
  check?(requirements: BackendRequirements): void | Promise<void>;
  /** Computes log-probabilities without gradients. */
  forward(data: readonly Datum[]): Promise<readonly Forward[]>;
  /** Accumulates the gradients of the loss for the next `optimStep`. */
  forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward>;
  /** Takes one AdamW step and clears the gradients. The norm is null if the backend does not report it. */
  optimStep(settings: AdamWSettings): Promise<{ readonly gradientNorm: number | null }>;
  /** Writes weights and optimizer state to a file. */
  saveState(path: string): Promise<void>;
  /** Reads a file of `saveState`. */
  loadState(path: string, options?: LoadOptions): Promise<void>;
  /** Returns the current weights for sampling in other processes. Optional: without it, only the backend samples. */
  samplingWeights?(): Promise<SamplingWeights>;
  /** Loads the weights in a file of `saveState`, which stay as they are. Optional: services compute KL terms themselves, or not at all. */
  reference?(path: string): Promise<Pick<Backend, "forward">>;
  /** Returns the trained LoRA adapter. Optional: the tiny model has no adapter, and a service keeps its own. */
  adapterFiles?(): Promise<AdapterFiles>;
  /** Returns the trained LoRA adapter of a service as a tar archive in PEFT's format. */
  adapterArchive?(): Promise<Uint8Array>;
  close(): Promise<void>;
}
