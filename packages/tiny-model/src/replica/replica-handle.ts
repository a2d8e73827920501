import type { AdamWSettings } from "../engine/adamw.ts";
import type { Pack } from "../engine/transformer.ts";
import type { Completion, SampleRequest } from "../sampling/sampler.ts";
import type { ModelState, Replica } from "./replica.ts";
import type { ForwardOutput, OutputGradients } from "./target-sequence.ts";

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
