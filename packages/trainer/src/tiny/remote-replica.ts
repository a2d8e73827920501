import { ConfigError, RolloutError } from "@envs/core";

import { startThread } from "#thread";

import type { LossSettings } from "../algorithms/loss-settings.ts";
import type {
  Completion,
  Datum,
  Forward,
  ForwardBackward,
  OptimizerSettings,
  SampleRequest,
} from "../backend.ts";
import type { ReplicaSpec, ReplicaState } from "./replica.ts";
import type { Thread } from "./thread.ts";

/** What is asked of a replica on another thread. */
export type Call =
  | { readonly method: "create"; readonly argument: ReplicaSpec }
  | { readonly method: "sample"; readonly argument: readonly SampleRequest[] }
  | { readonly method: "forward"; readonly argument: readonly Datum[] }
  | {
      readonly method: "forwardBackward";
      readonly argument: { readonly data: readonly Datum[]; readonly loss: LossSettings };
    }
  | { readonly method: "optimStep"; readonly argument: OptimizerSettings }
  | { readonly method: "readState"; readonly argument?: undefined }
  | { readonly method: "writeState"; readonly argument: ReplicaState };

/** What comes back: a result, or what was thrown. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Thrown };

interface Thrown {
  readonly isConfigError: boolean;
  readonly message: string;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A replica on a thread of its own. */
export class RemoteReplica {
  readonly #thread: Thread;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  /** Why nothing is answered any more. */
  #end: RolloutError | undefined;

  constructor(thread: Thread) {
    this.#thread = thread;
    thread.rest();
    thread.onEnd((error) =>
      this.#fail(
        `A thread of the model died: ${error.message}. Start the model again, from its last checkpoint.`,
        error,
      ),
    );
    thread.onMessage((message) => this.#settle(message as Answer));
  }

  static async start(spec: ReplicaSpec): Promise<RemoteReplica> {
    // Compiled code lies beside compiled code.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const url = new URL(`./replica-worker.${extension}`, import.meta.url);
    const remote = new RemoteReplica(startThread(url));
    try {
      await remote.#call({ method: "create", argument: spec });
    } catch (error) {
      await remote.close();
      throw error;
    }
    return remote;
  }

  sample(requests: readonly SampleRequest[]): Promise<Completion[]> {
    return this.#call({ method: "sample", argument: requests });
  }

  forward(data: readonly Datum[]): Promise<Forward[]> {
    return this.#call({ method: "forward", argument: data });
  }

  forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward> {
    return this.#call({ method: "forwardBackward", argument: { data, loss } });
  }

  optimStep(settings: OptimizerSettings): Promise<{ gradientNorm: number }> {
    return this.#call({ method: "optimStep", argument: settings });
  }

  readState(): Promise<ReplicaState> {
    return this.#call({ method: "readState" });
  }

  writeState(state: ReplicaState): Promise<void> {
    return this.#call({ method: "writeState", argument: state });
  }

  async close(): Promise<void> {
    this.#fail("The model was closed. Start another one.");
    await this.#thread.terminate();
  }

  #call<Result>(call: Call): Promise<Result> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#thread.wake();
      this.#thread.post({ id, call });
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#thread.rest();
    if ("result" in answer) waiting?.resolve(answer.result);
    else waiting?.reject(errorOf(answer.error));
  }

  #fail(message: string, cause?: Error): void {
    this.#end ??= new RolloutError("model", message, { isFatal: true, cause });
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}

function errorOf({ isConfigError, message }: Thrown): Error {
  return isConfigError ? new ConfigError(message) : new Error(message);
}
