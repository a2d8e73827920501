import type { AssistantMessage, Seed } from "@envs/core";

import type { EnvironmentReference } from "./environment-reference.ts";
import type { StepOptions } from "./episode-host.ts";
import type { Task, TaskPosition } from "./tasks.ts";
import type { SerializedError } from "./thread-errors.ts";

/** What a host thread loads at its start. */
export interface ThreadSetup {
  readonly references: readonly EnvironmentReference[];
  /** Determines the order of examples of endless datasets. */
  readonly seed: number;
}

/** A method call on a thread's host. `environment` is an index into the thread's references. */
export type HostCall =
  | { readonly method: "cards" }
  | { readonly method: "task"; readonly environment: number; readonly position: TaskPosition }
  | {
      readonly method: "open";
      readonly environment: number;
      readonly id: string;
      readonly task: Task;
      readonly seed: Seed;
    }
  | {
      readonly method: "step";
      readonly environment: number;
      readonly id: string;
      readonly message: AssistantMessage;
      readonly options: StepOptions | undefined;
    }
  | {
      readonly method: "scoreGroup";
      readonly environment: number;
      readonly ids: readonly string[];
    }
  | { readonly method: "finish" | "close"; readonly environment: number; readonly id: string };

/** A call as sent to a thread. */
export interface ThreadRequest {
  readonly requestId: number;
  readonly call: HostCall;
}

/** A thread's reply: the result, if the call has one, or the error. */
export type ThreadResponse =
  | { readonly requestId: number; readonly result?: unknown }
  | { readonly requestId: number; readonly error: SerializedError };

interface Port {
  postMessage(text: string): void;
}

/** Longer messages are sent alone: a batch of several could exceed the maximum length of a string. */
const maxBatchedLength = 2 ** 16;

/** Sends all messages of one round of the event loop as one JSON text, which costs a third of sending each. */
export class MessageBatcher {
  readonly #port: Port;
  #batch: string[] = [];

  constructor(port: Port) {
    this.#port = port;
  }

  /** Throws if the message cannot be serialized; other messages of the batch are still sent. */
  send(message: unknown): void {
    const text = JSON.stringify(message);
    if (text.length > maxBatchedLength) {
      this.#flush();
      this.#port.postMessage(`[${text}]`);
    } else if (this.#batch.push(text) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#port.postMessage(`[${batch.join(",")}]`);
  }
}

/** The messages of a batch. */
export function parseBatch(text: string): readonly unknown[] {
  return JSON.parse(text) as readonly unknown[];
}
