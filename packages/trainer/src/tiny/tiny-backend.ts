import { ConfigError } from "@envs/core";

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
import { type Checkpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { RemoteReplica } from "./remote-replica.ts";
import { Replica, type ReplicaState } from "./replica.ts";

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
  readonly #replicas: readonly LocalOrRemote[];

  private constructor(id: string, checkpoint: Checkpoint, replicas: readonly LocalOrRemote[]) {
    this.id = id;
    this.tokenizer = checkpoint.tokenizer;
    this.shape = checkpoint.shape;
    this.renderer = chatRenderer(checkpoint.tokenizer);
    this.contextLength = checkpoint.shape.context;
    this.#replicas = replicas;
  }

  /** Starts a model from what {@link writeCheckpoint} wrote. */
  static async start(
    id: string,
    checkpoint: Checkpoint,
    { threads = 1, slots = 512 }: TinyOptions = {},
  ): Promise<TinyBackend> {
    if (!Number.isInteger(threads) || threads < 1)
      throw new ConfigError(`A tiny model runs on 1 thread or more, not on ${threads}.`);
    const { shape, tokenizer } = checkpoint;
    const { stopIds } = chatRenderer(tokenizer);
    const spec = {
      shape,
      stopIds,
      slots: Math.ceil(slots / threads),
      rank: 0,
      replicas: threads,
    };
    if (threads === 1) {
      const backend = new TinyBackend(id, checkpoint, [new Local(new Replica(spec))]);
      await backend.#writeState(checkpoint.state);
      return backend;
    }
    const bytes = threads * sizeOf(parametersOf(shape)) * 4;
    const shared = new SharedArrayBuffer(bytes);
    const replicas = await Promise.all(
      Array.from({ length: threads }, (_, rank) => RemoteReplica.start({ ...spec, shared, rank })),
    );
    const backend = new TinyBackend(id, checkpoint, replicas);
    await backend.#writeState(checkpoint.state);
    return backend;
  }

  async sample(requests: readonly SampleRequest[]): Promise<readonly Completion[]> {
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
    const shares = this.#shares(data);
    const read = await this.#all((replica, rank) => replica.forward(shares[rank]!));
    return read.flat();
  }

  async forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward> {
    const shares = this.#shares(data);
    const parts = await this.#all((replica, rank) => replica.forwardBackward(shares[rank]!, loss));
    return {
      forwards: parts.flatMap(({ forwards }) => forwards),
      loss: parts.reduce((sum, part) => sum + part.loss, 0),
      sums: parts.reduce<LossSums>((sum, part) => addSums(sum, part.sums), {}),
    };
  }

  async optimStep(settings: OptimizerSettings): Promise<{ gradientNorm: number }> {
    const [first] = await this.#all((replica) => replica.optimStep(settings));
    return first!;
  }

  /** All that is needed to go on from here, to the bit. */
  async checkpoint(): Promise<Checkpoint> {
    const state = await this.#replicas[0]!.readState();
    return { shape: this.shape, tokenizer: this.tokenizer, state };
  }

  async saveState(path: string): Promise<void> {
    const { writeFileAtomically } = await import("./files.ts");
    await writeFileAtomically(path, writeCheckpoint(await this.checkpoint()));
  }

  async loadState(path: string): Promise<void> {
    const { readFile } = await import("node:fs/promises");
    await this.#writeState(readCheckpoint(await readFile(path), path).state);
  }

  async close(): Promise<void> {
    await this.#all((replica) => replica.close());
  }

  async #writeState(state: ReplicaState): Promise<void> {
    await this.#all((replica) => replica.writeState(state));
  }

  #all<Result>(
    work: (replica: LocalOrRemote, rank: number) => Promise<Result>,
  ): Promise<readonly Result[]> {
    return Promise.all(this.#replicas.map(work));
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

type LocalOrRemote = Pick<
  RemoteReplica,
  "sample" | "forward" | "forwardBackward" | "optimStep" | "readState" | "writeState" | "close"
>;

/** A replica on the caller's own thread, with the same face as one elsewhere. */
class Local implements LocalOrRemote {
  readonly #replica: Replica;
  constructor(replica: Replica) {
    this.#replica = replica;
  }
  async sample(requests: readonly SampleRequest[]): Promise<Completion[]> {
    return this.#replica.sample(requests);
  }
  async forward(data: readonly Datum[]): Promise<Forward[]> {
    return this.#replica.forward(data);
  }
  async forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward> {
    return this.#replica.forwardBackward(data, loss);
  }
  async optimStep(settings: OptimizerSettings): Promise<{ gradientNorm: number }> {
    return this.#replica.optimStep(settings);
  }
  async readState(): Promise<ReplicaState> {
    return this.#replica.state;
  }
  async writeState(state: ReplicaState): Promise<void> {
    this.#replica.state = state;
  }
  async close(): Promise<void> {}
}
