import { ConfigError } from "@envs/core";

import { readNamedFile, writeFileAtomically } from "#files";

import type { LossSettings } from "../algorithms/loss-settings.ts";
import { addSums, type LossSums } from "../algorithms/loss-sums.ts";
import type {
  Backend,
  Completion,
  Datum,
  Forward,
  ForwardBackward,
  OptimizerSettings,
  SampleRequest,
} from "../backend.ts";
import { parametersOf, type Shape, sizeOf } from "../engine/shape.ts";
import { initialWeights } from "../engine/weights.ts";
import { chatRenderer } from "../tokenizer/chat-renderer.ts";
import type { Renderer } from "../tokenizer/renderer.ts";
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import { checkData, checkRequests } from "./check-input.ts";
import { checkShape } from "./check-shape.ts";
import { type Checkpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { type AnyReplica, LocalReplica } from "./local-replica.ts";
import { checkMemory } from "./memory.ts";
import { RemoteReplica } from "./remote-replica.ts";
import { Replica, type ReplicaSpec, type ReplicaState } from "./replica.ts";

/** How a tiny model runs. */
export interface TinyOptions {
  /** Threads that sample and learn, each with a copy of the model. Default 1: the caller's own thread. */
  readonly threads?: number;
  /** Conversations that all threads remember together. Default 512. */
  readonly slots?: number;
}

/** A tiny language model that can be sampled from and trained, on this machine's processor. */
export class TinyBackend implements Backend {
  readonly id: string;
  readonly tokenizer: Tokenizer;
  readonly shape: Shape;
  readonly renderer: Renderer;
  readonly contextLength: number;
  readonly #replicas: readonly AnyReplica[];
  /** Gradients of every replica, one after another. */
  readonly #shared: SharedArrayBuffer | undefined;
  #latest: Promise<unknown> = Promise.resolve();

  private constructor(id: string, { shape, tokenizer }: Checkpoint, parts: Parts) {
    this.id = id;
    this.tokenizer = tokenizer;
    this.shape = shape;
    this.renderer = chatRenderer(tokenizer);
    this.contextLength = shape.context;
    this.#replicas = parts.replicas;
    this.#shared = parts.shared;
  }

  /** Starts a model from what {@link writeCheckpoint} wrote. */
  static async start(
    id: string,
    checkpoint: Checkpoint,
    { threads = 1, slots = 512 }: TinyOptions = {},
  ): Promise<TinyBackend> {
    if (!Number.isInteger(threads) || threads < 1)
      throw new ConfigError(`A tiny model runs on 1 thread or more, not on ${threads}.`);
    if (!Number.isInteger(slots) || slots < 1)
      throw new ConfigError(`A tiny model remembers 1 conversation or more, not ${slots}.`);
    const { tokenizer } = checkpoint;
    const shape = checkShape(checkpoint.shape);
    const { stopIds } = chatRenderer(tokenizer);
    const share = Math.ceil(slots / threads);
    checkMemory(shape, share);
    const spec = { shape, stopIds, slots: share, rank: 0, replicas: threads };
    const parts =
      threads === 1 ? { replicas: [new LocalReplica(new Replica(spec))] } : await startAll(spec);
    const backend = new TinyBackend(id, checkpoint, parts);
    await backend.#writeState(checkpoint.state);
    return backend;
  }

  async sample(requests: readonly SampleRequest[]): Promise<readonly Completion[]> {
    checkRequests(requests, this.shape);
    // A conversation stays on the thread that remembers it.
    const shares = this.#replicas.map((): { place: number; request: SampleRequest }[] => []);
    for (const [place, request] of requests.entries())
      shares[(request.session ?? place) % shares.length]!.push({ place, request });
    const completions: Completion[] = [];
    await this.#all(async (replica, rank) => {
      const share = shares[rank]!;
      if (share.length === 0) return;
      const sampled = await replica.sample(share.map(({ request }) => request));
      for (const [index, completion] of sampled.entries())
        completions[share[index]!.place] = completion;
    });
    return completions;
  }

  async forward(data: readonly Datum[]): Promise<readonly Forward[]> {
    checkData(data, this.shape);
    const shares = this.#shares(data);
    const read = await this.#all((replica, rank) => replica.forward(shares[rank]!));
    return read.flat();
  }

  async forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward> {
    checkData(data, this.shape);
    const shares = this.#shares(data);
    const parts = await this.#all((replica, rank) => replica.forwardBackward(shares[rank]!, loss));
    return {
      forwards: parts.flatMap(({ forwards }) => forwards),
      loss: parts.reduce((sum, part) => sum + part.loss, 0),
      sums: parts.reduce<LossSums>((sum, part) => addSums(sum, part.sums), {}),
    };
  }

  async optimStep(settings: OptimizerSettings): Promise<{ gradientNorm: number }> {
    return this.#inTurn(async () => {
      const [first] = await Promise.all(
        this.#replicas.map((replica) => replica.optimStep(settings)),
      );
      this.#clearGradients();
      return first!;
    });
  }

  /** All that is needed to go on from here, to the bit. */
  async checkpoint(): Promise<Checkpoint> {
    const state = await this.#inTurn(() => this.#replicas[0]!.readState());
    return { shape: this.shape, tokenizer: this.tokenizer, state };
  }

  async saveState(path: string): Promise<void> {
    await writeFileAtomically(path, writeCheckpoint(await this.checkpoint()));
  }

  async loadState(path: string): Promise<void> {
    const { shape, tokenizer, state } = readCheckpoint(await readNamedFile(path), path);
    const sizes = Object.keys(shape) as (keyof Shape)[];
    const isOther = sizes.some((size) => shape[size] !== this.shape[size]);
    if (isOther || JSON.stringify(tokenizer) !== JSON.stringify(this.tokenizer))
      throw new ConfigError(
        `${path} is a checkpoint of another model: its sizes or its tokenizer differ from those of ${this.id}. Start a model from it instead.`,
      );
    await this.#writeState(state);
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  #writeState(state: ReplicaState): Promise<void> {
    return this.#inTurn(async () => {
      await Promise.all(this.#replicas.map((replica) => replica.writeState(state)));
      this.#clearGradients();
    });
  }

  /** Only when no replica reads them: each adds up those of all. */
  #clearGradients(): void {
    if (this.#shared !== undefined) new Float32Array(this.#shared).fill(0);
  }

  #all<Result>(
    work: (replica: AnyReplica, rank: number) => Promise<Result>,
  ): Promise<readonly Result[]> {
    return this.#inTurn(() => Promise.all(this.#replicas.map(work)));
  }

  /** A step must wait for the gradients of all threads, also if the caller does not wait for them. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#latest.then(work, work);
    this.#latest = result;
    return result;
  }

  /** Neighbours stay together, and every thread gets about as many tokens. */
  #shares(data: readonly Datum[]): readonly (readonly Datum[])[] {
    const total = data.reduce((sum, { inputs }) => sum + inputs.length, 0);
    const shares = this.#replicas.map((): Datum[] => []);
    let tokens = 0;
    for (const datum of data) {
      const middle = tokens + datum.inputs.length / 2;
      shares[Math.min(shares.length - 1, Math.floor((middle / total) * shares.length))]!.push(
        datum,
      );
      tokens += datum.inputs.length;
    }
    return shares;
  }
}

/** A model that has learned nothing yet. */
export function untrained(shape: Shape, tokenizer: Tokenizer, seed: number): Checkpoint {
  const weights = initialWeights(shape, seed);
  const first = new Float32Array(weights.length);
  const second = new Float32Array(weights.length);
  return { shape, tokenizer, state: { weights, first, second, steps: 0 } };
}

interface Parts {
  readonly replicas: readonly AnyReplica[];
  readonly shared?: SharedArrayBuffer;
}

/** Starts every replica on a thread of its own, or none. */
async function startAll(spec: ReplicaSpec): Promise<Parts> {
  if (typeof SharedArrayBuffer === "undefined")
    throw new ConfigError(
      "Several threads need memory that they share, which a page has only if it is cross-origin isolated. Take 1 thread, or have the server send COOP and COEP headers.",
    );
  const shared = new SharedArrayBuffer(spec.replicas * sizeOf(parametersOf(spec.shape)) * 4);
  const starting = Array.from({ length: spec.replicas }, (_, rank) =>
    RemoteReplica.start({ ...spec, shared, rank }),
  );
  try {
    return { replicas: await Promise.all(starting), shared };
  } catch (error) {
    await Promise.allSettled(starting.map(async (replica) => (await replica).close()));
    throw error;
  }
}
