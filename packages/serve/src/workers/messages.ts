import type { EnvironmentReference } from "../host/environment-reference.ts";
import type { EnvironmentCard, EpisodeHost } from "../host/episode-host.ts";
import type { HostOptions } from "../host/inline-hosts.ts";
import type { SerializedError } from "./serialized-error.ts";

/** The environments and options that a worker loads at its start. */
export interface WorkerSetup {
  readonly references: readonly EnvironmentReference[];
  readonly options: HostOptions;
  /** The cards of the first worker, which has counted the datasets. Empty for the first worker. */
  readonly cards: readonly EnvironmentCard[];
}

/** The methods of a host that a worker runs. */
export type WorkerMethod = Exclude<keyof EpisodeHost, "card" | typeof Symbol.asyncDispose>;

/** Whether a call belongs to no running episode, so that another worker can run it until one begins it. */
export function isMovable(method: WorkerMethod): boolean {
  return method === "task" || method === "open";
}

/** A call: its id, the index of the environment, the method and its arguments. An array, since most messages are calls. */
export type WorkerCall = readonly [
  id: number,
  environment: number,
  method: WorkerMethod,
  arguments: readonly unknown[],
];

/** The result of a call, or its error. */
export type WorkerResult = readonly [id: number, result: unknown, error?: SerializedError];

/** A message of the server to a worker. */
export type ServerMessage =
  | WorkerCall
  | { readonly kind: "setup"; readonly setup: WorkerSetup }
  | { readonly kind: "close" };

/** A message of a worker to the server. */
export type WorkerMessage =
  | WorkerResult
  | { readonly kind: "ready"; readonly cards: readonly EnvironmentCard[] }
  | { readonly kind: "failed"; readonly error: SerializedError }
  /** The worker begins a call that another worker could still run. */
  | { readonly kind: "begin"; readonly call: number }
  /** That call waits for something, so code of another episode may run. */
  | { readonly kind: "wait"; readonly call: number }
  /** An error that belongs to no episode. */
  | { readonly kind: "report"; readonly error: SerializedError };
