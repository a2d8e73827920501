import type { LossSettings } from "../algorithms/loss-settings.ts";
import type {
  Completion,
  Datum,
  Forward,
  ForwardBackward,
  OptimizerSettings,
  SampleRequest,
} from "../backend.ts";
import type { RemoteReplica } from "./remote-replica.ts";
import type { Replica, ReplicaState } from "./replica.ts";

/** A replica, wherever it runs. */
export type AnyReplica = Pick<
  RemoteReplica,
  "sample" | "forward" | "forwardBackward" | "optimStep" | "readState" | "writeState" | "close"
>;

/** A replica on the caller's own thread, with the same face as one elsewhere. */
export class LocalReplica implements AnyReplica {
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
