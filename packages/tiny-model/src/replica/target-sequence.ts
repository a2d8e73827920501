/** A sequence with one target per input: all arrays have the same length, and target t follows input t. */
export interface TargetSequence {
  readonly inputs: Int32Array;
  readonly targets: Int32Array;
  /** The model evaluates only targets whose weight is not 0. */
  readonly weights: Float32Array;
  /** Divides the logits. Default 1. */
  readonly temperature?: number | undefined;
}

/** The model's output for a {@link TargetSequence}; 0 where the target's weight is 0. */
export interface ForwardOutput {
  /** Natural log-probability of each target. */
  readonly logprobs: Float32Array;
  /** Entropy of the distribution that each target was drawn from, in nats. */
  readonly entropies: Float32Array;
}

/** Derivatives of a loss with respect to a {@link ForwardOutput}. */
export interface OutputGradients {
  readonly gradLogprobs: Float32Array;
  readonly gradEntropies: Float32Array;
}
