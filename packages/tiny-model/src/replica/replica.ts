import { AdamW, type AdamWSettings } from "../engine/adamw.ts";
import { Decoder } from "../engine/decoder.ts";
import { type Engine, startEngine } from "../engine/engine.ts";
import type { Shape } from "../engine/shape.ts";
import { type Pack, Transformer } from "../engine/transformer.ts";
import { LockstepSampler } from "../sampling/lockstep-sampler.ts";
import type { Completion, SampleRequest } from "../sampling/sampler.ts";
import { packCapacity, packTokens } from "./memory.ts";
import type { ForwardOutput, OutputGradients } from "./target-sequence.ts";

/** Plain data, so that it can be posted to a thread. */
export interface ReplicaSpec {
  readonly shape: Shape;
  readonly stopIds: readonly number[];
  /** Maximum number of cached conversations. */
  readonly slots: number;
  /** The gradients of all replicas, concatenated by rank. Undefined if there is only one replica. */
  readonly sharedGradients: SharedArrayBuffer | undefined;
  readonly rank: number;
  readonly replicas: number;
}

/** Everything that training changes: the weights and the state of AdamW. */
export interface ModelState {
  readonly weights: Float32Array;
  /** First moments. */
  readonly first: Float32Array;
  /** Second moments. */
  readonly second: Float32Array;
  readonly steps: number;
}

/** One copy of the model. Replicas compute gradients of different sequences and then take the same optimizer step. */
export class Replica {
  readonly #spec: ReplicaSpec;
  readonly #engine: Engine;
  readonly #sampler: LockstepSampler;
  #transformer: Transformer | undefined;
  #adamW: AdamW | undefined;

  constructor(spec: ReplicaSpec) {
    this.#spec = spec;
    const { shape, stopIds, slots } = spec;
    this.#engine = startEngine(shape);
    const decoder = new Decoder(this.#engine, { slots, capacity: Math.max(slots, packTokens) });
    const { vocabulary, context } = shape;
    this.#sampler = new LockstepSampler(decoder, { vocabulary, context, stopIds });
  }

  sample(requests: readonly SampleRequest[]): Completion[] {
    return this.#sampler.sample(requests);
  }

  /** Returns one number per place of the pack. */
  forward(pack: Pack): ForwardOutput {
    this.#transformer ??= new Transformer(this.#engine, packCapacity(this.#spec.shape));
    return this.#transformer.forward(pack);
  }

  /** Adds the gradients of the latest forward pass to the accumulated ones. */
  backward({ gradLogprobs, gradEntropies }: OutputGradients): void {
    if (this.#transformer === undefined) throw new Error("Call forward() before backward().");
    this.#transformer.backward(gradLogprobs, gradEntropies);
    this.#sharedGradients(this.#spec.rank)?.set(this.#engine.weights.gradientValues);
  }

  /** Every replica sums the gradients of all replicas in the same order, so that the replicas stay identical. */
  optimStep(settings: AdamWSettings): { gradientNorm: number } {
    const { weights } = this.#engine;
    if (this.#spec.sharedGradients !== undefined) {
      const sum = weights.gradientValues;
      sum.fill(0);
      for (let rank = 0; rank < this.#spec.replicas; rank += 1) {
        const gradients = this.#sharedGradients(rank)!;
        for (let index = 0; index < sum.length; index += 1) sum[index]! += gradients[index]!;
      }
    }
    const gradientNorm = this.#optimizer.step(settings);
    weights.invalidateTransposes();
    this.#sampler.invalidate();
    return { gradientNorm };
  }

  get state(): ModelState {
    const { first, second } = this.#optimizer.moments;
    return {
      weights: this.#engine.weights.values.slice(),
      first: first.slice(),
      second: second.slice(),
      steps: this.#optimizer.steps,
    };
  }

  /** Clears the gradients. */
  set state({ weights, first, second, steps }: ModelState) {
    this.#engine.weights.values.set(weights);
    this.#engine.weights.gradientValues.fill(0);
    this.#engine.weights.invalidateTransposes();
    this.#optimizer.moments.first.set(first);
    this.#optimizer.moments.second.set(second);
    this.#optimizer.steps = steps;
    this.#sampler.invalidate();
  }

  get #optimizer(): AdamW {
    const { kernels, arena, weights } = this.#engine;
    return (this.#adamW ??= new AdamW(kernels, arena, weights));
  }

  #sharedGradients(rank: number): Float32Array | undefined {
    const { sharedGradients } = this.#spec;
    const { count } = this.#engine.weights;
    return sharedGradients && new Float32Array(sharedGradients, rank * count * 4, count);
  }
}

/** A {@link Replica} on this thread or on another. */
export interface ReplicaHandle {
  sample(requests: readonly SampleRequest[]): Promise<Completion[]>;
  forward(pack: Pack): Promise<ForwardOutput>;
  backward(gradients: OutputGradients): Promise<void>;
  optimStep(settings: AdamWSettings): Promise<{ gradientNorm: number }>;
  readState(): Promise<ModelState>;
  writeState(state: ModelState): Promise<void>;
  close(): Promise<void>;
}

/** A replica on the caller's thread. */
export class LocalReplica implements ReplicaHandle {
  readonly #replica: Replica;
  constructor(replica: Replica) {
    this.#replica = replica;
  }
  async sample(requests: readonly SampleRequest[]): Promise<Completion[]> {
    return this.#replica.sample(requests);
  }
  async forward(pack: Pack): Promise<ForwardOutput> {
    return this.#replica.forward(pack);
  }
  async backward(gradients: OutputGradients): Promise<void> {
    this.#replica.backward(gradients);
  }
  async optimStep(settings: AdamWSettings): Promise<{ gradientNorm: number }> {
    return this.#replica.optimStep(settings);
  }
  async readState(): Promise<ModelState> {
    return this.#replica.state;
  }
  async writeState(state: ModelState): Promise<void> {
    this.#replica.state = state;
  }
  async close(): Promise<void> {}
}
