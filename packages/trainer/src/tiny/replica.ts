import type { LossSettings } from "../algorithms/loss-settings.ts";
import { datumLoss } from "../algorithms/token-loss.ts";
import type {
  Completion,
  Datum,
  Forward,
  ForwardBackward,
  OptimizerSettings,
  SampleRequest,
} from "../backend.ts";
import { AdamW } from "../engine/adam.ts";
import { Arena } from "../engine/arena.ts";
import { Decoder } from "../engine/decoder.ts";
import { startKernels } from "../engine/kernels.ts";
import type { ModelParts } from "../engine/model-parts.ts";
import { rotationTables } from "../engine/rope.ts";
import type { Shape } from "../engine/shape.ts";
import { Transformer } from "../engine/transformer.ts";
import { Weights } from "../engine/weights.ts";
import { packTokens } from "./memory.ts";
import { type DataPack, packs } from "./packs.ts";
import { Sampler } from "./sampler.ts";

/** What a replica is built from; plain data, so that it can be sent to a thread. */
export interface ReplicaSpec {
  readonly shape: Shape;
  readonly stopIds: readonly number[];
  /** The most conversations remembered at once. */
  readonly slots: number;
  /** Gradients of every replica, one after another; left out when there is only one. */
  readonly shared?: SharedArrayBuffer;
  readonly rank: number;
  readonly replicas: number;
}

/** All that training changes. */
export interface ReplicaState {
  readonly weights: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly steps: number;
}

/** One copy of the model: it samples, learns from its share of a batch, and takes the same steps as all the others. */
export class Replica {
  readonly #spec: ReplicaSpec;
  readonly #model: ModelParts;
  readonly #capacity: number;
  readonly #sampler: Sampler;
  #transformer: Transformer | undefined;
  #adam: AdamW | undefined;

  constructor(spec: ReplicaSpec) {
    this.#spec = spec;
    const { shape, stopIds, slots } = spec;
    const kernels = startKernels();
    const arena = new Arena(kernels.memory);
    const weights = new Weights(kernels, arena, shape);
    const rotation = rotationTables(arena, shape.context, shape.width / shape.heads / 2);
    this.#model = { kernels, arena, shape, weights, rotation };
    this.#capacity = Math.max(packTokens, shape.context);
    const decoder = new Decoder(this.#model, { slots, capacity: Math.max(slots, packTokens) });
    const { vocabulary, context } = shape;
    this.#sampler = new Sampler(decoder, { vocabulary, context, stopIds });
  }

  sample(requests: readonly SampleRequest[]): Completion[] {
    return this.#sampler.sample(requests);
  }

  forward(data: readonly Datum[]): Forward[] {
    return [...packs(data, this.#capacity)].flatMap((pack) => this.#read(pack));
  }

  forwardBackward(data: readonly Datum[], settings: LossSettings): ForwardBackward {
    const forwards: Forward[] = [];
    const sums: Record<string, number> = {};
    let loss = 0;
    for (const pack of packs(data, this.#capacity)) {
      const read = this.#read(pack);
      forwards.push(...read);
      const gradLogprobs = new Float32Array(pack.places.length);
      const gradEntropies = new Float32Array(pack.places.length);
      let place = 0;
      for (const [index, datum] of pack.data.entries()) {
        const result = datumLoss(settings, datum, read[index]!);
        loss += result.value;
        for (const [name, sum] of Object.entries(result.sums)) sums[name] = (sums[name] ?? 0) + sum;
        for (const [position, weight] of datum.weights.entries()) {
          if (weight === 0) continue;
          gradLogprobs[place] = result.gradLogprobs[position]!;
          gradEntropies[place] = result.gradEntropies[position]!;
          place += 1;
        }
      }
      this.#trained.backward(gradLogprobs, gradEntropies);
    }
    this.#share(this.#spec.rank)?.set(this.#model.weights.gradientValues);
    return { forwards, loss, sums };
  }

  /** Every replica adds the gradients of all in the same order, so that all take the same step. */
  optimStep(settings: OptimizerSettings): { gradientNorm: number } {
    const { weights } = this.#model;
    if (this.#spec.shared !== undefined) {
      const sum = weights.gradientValues;
      sum.fill(0);
      for (let rank = 0; rank < this.#spec.replicas; rank += 1) {
        const share = this.#share(rank)!;
        for (let index = 0; index < sum.length; index += 1) sum[index]! += share[index]!;
      }
    }
    this.#adam ??= new AdamW(this.#model);
    const gradientNorm = this.#adam.step(settings);
    this.#sampler.forget();
    return { gradientNorm };
  }

  get state(): ReplicaState {
    const { weights } = this.#model;
    this.#adam ??= new AdamW(this.#model);
    const { first, second } = this.#adam.moments;
    return {
      weights: weights.values.slice(),
      first: first.slice(),
      second: second.slice(),
      steps: this.#adam.steps,
    };
  }

  set state({ weights, first, second, steps }: ReplicaState) {
    this.#model.weights.values.set(weights);
    this.#model.weights.gradientValues.fill(0);
    this.#model.weights.changed();
    this.#adam ??= new AdamW(this.#model);
    this.#adam.moments.first.set(first);
    this.#adam.moments.second.set(second);
    this.#adam.steps = steps;
    this.#sampler.forget();
  }

  get #trained(): Transformer {
    return (this.#transformer ??= new Transformer(this.#model, this.#capacity));
  }

  #share(rank: number): Float32Array | undefined {
    const { shared } = this.#spec;
    const { count } = this.#model.weights;
    return shared === undefined ? undefined : new Float32Array(shared, rank * count * 4, count);
  }

  #read(pack: DataPack): Forward[] {
    const { logprobs, entropies } = this.#trained.forward(pack, pack.temperature);
    let place = 0;
    return pack.data.map(({ inputs, weights }) => {
      const forward = {
        logprobs: new Float32Array(inputs.length),
        entropies: new Float32Array(inputs.length),
      };
      for (const [position, weight] of weights.entries()) {
        if (weight === 0) continue;
        forward.logprobs[position] = logprobs[place]!;
        forward.entropies[position] = entropies[place]!;
        place += 1;
      }
      return forward;
    });
  }
}
