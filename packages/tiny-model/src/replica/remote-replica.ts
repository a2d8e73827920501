import { ConfigError, RolloutError } from "@envs/core";

import { startThread } from "#thread";

import type { AdamWSettings } from "../engine/adamw.ts";
import type { Pack } from "../engine/transformer.ts";
import type { Completion, SampleRequest } from "../sampling/sampler.ts";
import type { ModelState, ReplicaHandle, ReplicaSpec } from "./replica.ts";
import {
  type CompletionsMessage,
  packRequests,
  type SampleMessage,
  unpackCompletions,
} from "./sample-message.ts";
import type { ForwardOutput, OutputGradients } from "./target-sequence.ts";
import type { Thread } from "./thread.ts";

/** A method call on the replica of another thread. */
export type ReplicaCall =
  | { readonly method: "create"; readonly argument: ReplicaSpec }
  | { readonly method: "sample"; readonly argument: SampleMessage }
  | { readonly method: "forward"; readonly argument: Pack }
  | { readonly method: "backward"; readonly argument: OutputGradients }
  | { readonly method: "optimStep"; readonly argument: AdamWSettings }
  | { readonly method: "readState"; readonly argument?: undefined }
  | { readonly method: "writeState"; readonly argument: ModelState };

export interface ReplicaCallMessage {
  readonly id: number;
  readonly call: ReplicaCall;
}

/** The return value or the error of the call with the same id. */
export type ReplicaResultMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SerializedError };

interface SerializedError {
  readonly isConfigError: boolean;
  readonly message: string;
}

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class RemoteReplica implements ReplicaHandle {
  readonly #thread: Thread;
  readonly #pending = new Map<number, PendingCall>();
  #calls = 0;
  /** Rejects every call after the thread has ended. */
  #endError: RolloutError | undefined;

  private constructor(thread: Thread) {
    this.#thread = thread;
    thread.unref();
    thread.onEnd((error) =>
      this.#fail(
        `A thread of the model died: ${error.message}. Start the model again, from its last checkpoint.`,
        error,
      ),
    );
    thread.onMessage((message) => this.#settle(message as ReplicaResultMessage));
  }

  static async start(spec: ReplicaSpec): Promise<RemoteReplica> {
    // `src` starts the TypeScript module, `dist` the compiled one.
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

  async sample(requests: readonly SampleRequest[]): Promise<Completion[]> {
    const argument = packRequests(requests);
    return unpackCompletions(await this.#call<CompletionsMessage>({ method: "sample", argument }));
  }

  forward(pack: Pack): Promise<ForwardOutput> {
    return this.#call({ method: "forward", argument: pack });
  }

  backward(gradients: OutputGradients): Promise<void> {
    return this.#call({ method: "backward", argument: gradients });
  }

  optimStep(settings: AdamWSettings): Promise<{ gradientNorm: number }> {
    return this.#call({ method: "optimStep", argument: settings });
  }

  readState(): Promise<ModelState> {
    return this.#call({ method: "readState" });
  }

  writeState(state: ModelState): Promise<void> {
    return this.#call({ method: "writeState", argument: state });
  }

  async close(): Promise<void> {
    this.#fail("The model was closed. Start another one.");
    await this.#thread.terminate();
  }

  #call<Result>(call: ReplicaCall): Promise<Result> {
    if (this.#endError !== undefined) return Promise.reject(this.#endError);
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#thread.ref();
      this.#thread.post({ id, call } satisfies ReplicaCallMessage);
    });
  }

  #settle(message: ReplicaResultMessage): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#thread.unref();
    if ("result" in message) pending?.resolve(message.result);
    else pending?.reject(deserialize(message.error));
  }

  #fail(message: string, cause?: Error): void {
    this.#endError ??= new RolloutError("model", message, { isFatal: true, cause });
    for (const { reject } of this.#pending.values()) reject(this.#endError);
    this.#pending.clear();
  }
}

function deserialize({ isConfigError, message }: SerializedError): Error {
  return isConfigError ? new ConfigError(message) : new Error(message);
}
