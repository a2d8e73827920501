import { ConfigError } from "@envs/core";

import type { Checkpoint } from "./checkpoint.ts";
import type { AdamWSettings } from "./engine/adamw.ts";
import { checkShape, parametersOf, type Shape, sizeOf } from "./engine/shape.ts";
import { checkRequests, checkSequences } from "./replica/check-input.ts";
import { checkMemory, packCapacity } from "./replica/memory.ts";
import { packGradients, packs, unpackOutputs } from "./replica/packs.ts";
import { RemoteReplica } from "./replica/remote-replica.ts";
import {
  LocalReplica,
  type ModelState,
  Replica,
  type ReplicaHandle,
  type ReplicaSpec,
} from "./replica/replica.ts";
import type { ForwardOutput, OutputGradients, TargetSequence } from "./replica/target-sequence.ts";
import type { Completion, Sampler, SampleRequest } from "./sampling/sampler.ts";
import { chatRenderer, type Renderer } from "./tokenizer/chat-renderer.ts";
import type { Tokenizer } from "./tokenizer/tokenizer.ts";

export interface TinyModelOptions {
  /** Number of threads, each with a copy of the model. Default 1: the caller's thread. */
  readonly threads?: number | undefined;
  /** Maximum number of cached conversations, over all threads. Default 512. */
  readonly slots?: number | undefined;
}

/** A tiny language model that samples and trains on the processor of this machine. */
export class TinyModel implements Sampler {
  readonly id: string;
  readonly tokenizer: Tokenizer;
  readonly shape: Shape;
  readonly renderer: Renderer;
  readonly contextLength: number;
  readonly #replicas: readonly ReplicaHandle[];
  readonly #sharedGradients: SharedArrayBuffer | undefined;
  #latest: Promise<unknown> = Promise.resolve();

  private constructor(id: string, { shape, tokenizer }: Checkpoint, group: ReplicaGroup) {
    this.id = id;
    this.tokenizer = tokenizer;
    this.shape = shape;
    this.renderer = chatRenderer(tokenizer);
    this.contextLength = shape.context;
    this.#replicas = group.replicas;
    this.#sharedGradients = group.sharedGradients;
  }

  static async start(
    id: string,
    checkpoint: Checkpoint,
    { threads = 1, slots = 512 }: TinyModelOptions = {},
  ): Promise<TinyModel> {
    checkCount("threads", threads);
    checkCount("slots", slots);
    const shape = checkShape(checkpoint.shape);
    const slotsPerThread = Math.ceil(slots / threads);
    checkMemory(shape, slotsPerThread);
    const { stopIds } = chatRenderer(checkpoint.tokenizer);
    const group = await startReplicas({ shape, stopIds, slots: slotsPerThread }, threads);
    const model = new TinyModel(id, checkpoint, group);
    await model.#writeState(checkpoint.state);
    return model;
  }

  async sample(requests: readonly SampleRequest[]): Promise<readonly Completion[]> {
    checkRequests(requests, this.shape);
    // The thread that has cached a conversation continues it.
    const shares = this.#replicas.map((): { place: number; request: SampleRequest }[] => []);
    for (const [place, request] of requests.entries())
      shares[(request.session ?? place) % shares.length]!.push({ place, request });
    const completions: Completion[] = [];
    await this.#onEachReplica(async (replica, rank) => {
      const share = shares[rank]!;
      if (share.length === 0) return;
      const sampled = await replica.sample(share.map(({ request }) => request));
      for (const [index, completion] of sampled.entries())
        completions[share[index]!.place] = completion;
    });
    return completions;
  }

  /** Computes log-probabilities and entropies without gradients. */
  async forward(sequences: readonly TargetSequence[]): Promise<readonly ForwardOutput[]> {
    checkSequences(sequences, this.shape);
    const shares = this.#share(sequences);
    const outputs = await this.#onEachReplica(async (replica, rank) => {
      const unpacked: ForwardOutput[] = [];
      for (const { sequences: members, pack } of packs(shares[rank]!, packCapacity(this.shape)))
        unpacked.push(...unpackOutputs(members, await replica.forward(pack)));
      return unpacked;
    });
    return outputs.flat();
  }

  /**
   * Calls `loss` with the output for each sequence, and accumulates the gradients of the weights for the next
   * `optimStep`. Returns the results of `loss`, in order, as one list per thread.
   */
  async forwardBackward<Sequence extends TargetSequence, Loss extends OutputGradients>(
    sequences: readonly Sequence[],
    loss: (sequence: Sequence, output: ForwardOutput) => Loss,
  ): Promise<readonly (readonly Loss[])[]> {
    checkSequences(sequences, this.shape);
    const shares = this.#share(sequences);
    return this.#onEachReplica(async (replica, rank) => {
      const losses: Loss[] = [];
      for (const packed of packs(shares[rank]!, packCapacity(this.shape))) {
        const outputs = unpackOutputs(packed.sequences, await replica.forward(packed.pack));
        const results = packed.sequences.map((sequence, index) => loss(sequence, outputs[index]!));
        losses.push(...results);
        await replica.backward(packGradients(packed, results));
      }
      return losses;
    });
  }

  /** Updates the weights with the accumulated gradients, and clears the gradients. */
  async optimStep(settings: AdamWSettings): Promise<{ gradientNorm: number }> {
    return this.#inOrder(async () => {
      const [first] = await settleAll(this.#replicas.map((replica) => replica.optimStep(settings)));
      this.#clearSharedGradients();
      return first!;
    });
  }

  /** Training continues from it bit for bit. */
  async checkpoint(): Promise<Checkpoint> {
    const state = await this.#inOrder(() => this.#replicas[0]!.readState());
    return { shape: this.shape, tokenizer: this.tokenizer, state };
  }

  /** Replaces weights and optimizer state. The checkpoint must have the same shape and tokenizer; `origin` names it in errors. */
  async restore({ shape, tokenizer, state }: Checkpoint, origin = "The checkpoint"): Promise<void> {
    const sizes = Object.keys(shape) as (keyof Shape)[];
    const hasOtherShape = sizes.some((size) => shape[size] !== this.shape[size]);
    if (hasOtherShape || JSON.stringify(tokenizer) !== JSON.stringify(this.tokenizer))
      throw new ConfigError(
        `${origin} belongs to another model: its shape or its tokenizer differs from that of ${this.id}. Start a model from it instead.`,
      );
    await this.#writeState(state);
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  #writeState(state: ModelState): Promise<void> {
    return this.#inOrder(async () => {
      await settleAll(this.#replicas.map((replica) => replica.writeState(state)));
      this.#clearSharedGradients();
    });
  }

  /** Call it only after all replicas have read the gradients. */
  #clearSharedGradients(): void {
    if (this.#sharedGradients !== undefined) new Float32Array(this.#sharedGradients).fill(0);
  }

  #onEachReplica<Result>(
    work: (replica: ReplicaHandle, rank: number) => Promise<Result>,
  ): Promise<readonly Result[]> {
    return this.#inOrder(() => settleAll(this.#replicas.map(work)));
  }

  /** Runs operations one after another: an optimizer step must see the gradients of all threads, even if the caller awaits neither. */
  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#latest.then(work, work);
    this.#latest = result;
    return result;
  }

  /** Splits sequences into contiguous parts of about equally many tokens, one per thread. */
  #share<Sequence extends TargetSequence>(
    sequences: readonly Sequence[],
  ): readonly (readonly Sequence[])[] {
    const total = sequences.reduce((sum, { inputs }) => sum + inputs.length, 0);
    const shares = this.#replicas.map((): Sequence[] => []);
    let tokens = 0;
    for (const sequence of sequences) {
      const middle = tokens + sequence.inputs.length / 2;
      const rank = Math.floor((middle / total) * shares.length);
      shares[Math.min(shares.length - 1, rank)]!.push(sequence);
      tokens += sequence.inputs.length;
    }
    return shares;
  }
}

function checkCount(name: "threads" | "slots", count: number): void {
  if (!Number.isInteger(count) || count < 1)
    throw new ConfigError(
      `The tiny model's option ${name} is ${count}. It must be an integer of at least 1.`,
    );
}

/** Waits until all operations have ended, then throws the first error: no replica may still be working afterwards. */
async function settleAll<Result>(operations: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(operations);
  return Promise.all(operations);
}

interface ReplicaGroup {
  readonly replicas: readonly ReplicaHandle[];
  readonly sharedGradients?: SharedArrayBuffer;
}

async function startReplicas(
  options: Pick<ReplicaSpec, "shape" | "stopIds" | "slots">,
  threads: number,
): Promise<ReplicaGroup> {
  const spec = { ...options, rank: 0, replicas: threads, sharedGradients: undefined };
  if (threads === 1) return { replicas: [new LocalReplica(new Replica(spec))] };
  if (typeof SharedArrayBuffer === "undefined")
    throw new ConfigError(
      "Several threads need SharedArrayBuffer, which a page has only if it is cross-origin isolated. Use 1 thread, or send the headers Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy.",
    );
  const sharedGradients = new SharedArrayBuffer(
    threads * sizeOf(parametersOf(options.shape)) * Float32Array.BYTES_PER_ELEMENT,
  );
  const starting = Array.from({ length: threads }, (_, rank) =>
    RemoteReplica.start({ ...spec, sharedGradients, rank }),
  );
  try {
    return { replicas: await Promise.all(starting), sharedGradients };
  } catch (error) {
    await Promise.allSettled(starting.map(async (replica) => (await replica).close()));
    throw error;
  }
}
