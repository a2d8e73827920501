import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { EchoServer } from "./echo-server.ts";

/** A command to the process of the load generator. */
export type LoadCommand =
  | ({ readonly kind: "play"; readonly sessions: number; readonly steps: number } & Target)
  | ({ readonly kind: "hold"; readonly sessions: number } & Target)
  /** Drops the idle sessions, and opens the same number again. */
  | { readonly kind: "reopen" };

/** The server, and the requests to send. */
export type Target = Pick<EchoServer, "url" | "reset" | "step">;

/** The result of opening sessions, all at once. */
export interface OpenResult {
  readonly sessions: number;
  /** The number of sessions without an error. */
  readonly succeeded: number;
  /** The time until the last session was open. */
  readonly seconds: number;
  /** The first error. */
  readonly problem: string | undefined;
}

/** The result of playing sessions after all of them were open. */
export interface PlayResult extends OpenResult {
  /** Latency of a step in milliseconds, by percentile. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly stepsPerSecond: number;
  /** The share of one core that the load generator used. */
  readonly loadCores: number;
}

/** A process that plays many sessions at once. */
export class LoadGenerator implements Disposable {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, "load-process.ts"));

  play(server: EchoServer, sessions: number, steps: number): Promise<PlayResult> {
    return this.#execute({ kind: "play", ...targetOf(server), sessions, steps });
  }

  /** Opens sessions that stay idle. */
  hold(server: EchoServer, sessions: number): Promise<OpenResult> {
    return this.#execute({ kind: "hold", ...targetOf(server), sessions });
  }

  /** Drops the idle sessions, and opens the same number again. */
  reopen(): Promise<OpenResult> {
    return this.#execute({ kind: "reopen" });
  }

  async #execute<Result>(command: LoadCommand): Promise<Result> {
    this.#child.send(command);
    const [result] = await once(this.#child, "message");
    return result as Result;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

function targetOf({ url, reset, step }: EchoServer): Target {
  return { url, reset, step };
}
