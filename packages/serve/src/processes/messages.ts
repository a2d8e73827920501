import type { Serializable } from "node:child_process";

import type { EnvironmentReference } from "../host/environment-reference.ts";
import type { ServerStatus } from "../http/status-routes.ts";
import type { ServeOptions } from "../options.ts";
import type { SerializedError } from "./serialized-error.ts";

/** The environments and options that a process loads at its start. */
export interface ProcessSetup {
  readonly references: readonly EnvironmentReference[];
  readonly options: ServeOptions;
  /** The path at which the process accepts forwarded requests. */
  readonly socketPath: string;
  /** How often the process reports its state. */
  readonly beatMs: number;
}

/** The state of one process. */
export interface ProcessState {
  readonly busy: number;
  readonly stuck: number;
  readonly timeouts: number;
}

/** The process that has a session. */
export type SessionLocation =
  | { readonly state: "here" | "unknown" | "lost" }
  | { readonly state: "elsewhere"; readonly socketPath: string };

/** A question of a process, with its answer. */
export interface PrimaryCalls {
  /** Adds a session of this process. */
  add(id: string): null;
  locate(id: string): SessionLocation;
  /** Assigns a key to this process, unless another process has it. */
  claim(key: string): SessionLocation;
  /** The number of the environment's next example. */
  nextTask(environmentName: string): number;
  status(argument: null): ServerStatus;
}

export type CallName = keyof PrimaryCalls;
export type CallArgument<Name extends CallName> = Parameters<PrimaryCalls[Name]>[0];
export type CallResult<Name extends CallName> = ReturnType<PrimaryCalls[Name]>;

/** A message of a process to the primary. */
export type ProcessMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: SerializedError }
  | ({ readonly kind: "beat" } & ProcessState)
  /** The process answers an offer: it can receive a connection now. */
  | { readonly kind: "take" }
  /** The process has received a connection. */
  | { readonly kind: "accepted"; readonly connection: number }
  | { readonly kind: "disconnected" }
  | { readonly kind: "remove"; readonly session: string }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly name: CallName;
      readonly argument: string | null;
    };

/** A message of the primary to a process. */
export type PrimaryMessage =
  | { readonly kind: "setup"; readonly setup: ProcessSetup }
  /** A connection waits. A process that is blocked by an environment does not answer. */
  | { readonly kind: "offer" }
  /** The connection itself; the message carries the socket. */
  | { readonly kind: "connection"; readonly connection: number }
  | { readonly kind: "close"; readonly drainMs: number }
  | { readonly kind: "result"; readonly id: number; readonly result: Serializable | null }
  | { readonly kind: "error"; readonly id: number; readonly error: SerializedError };
