import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { EchoServer } from "./echo-server.ts";

/** The options of a load generator. */
export type Order =
  | ({ readonly kind: "play"; readonly sessions: number; readonly steps: number } & Asked)
  | ({ readonly kind: "hold"; readonly sessions: number } & Asked)
  /** Drops all sessions that are held, and opens as many again. */
  | { readonly kind: "storm" };

/** Where, and in which words. */
export type Asked = Pick<EchoServer, "url" | "reset" | "step">;

/** How a server took sessions, all of which came at once. */
export interface Opened {
  readonly sessions: number;
  /** How many were opened, and played to their end. */
  readonly done: number;
  /** Until the last one was open. */
  readonly seconds: number;
  /** What went wrong first. */
  readonly problem: string | undefined;
}

/** How a server bore their steps, once all of them were open. */
export interface Played extends Opened {
  /** Milliseconds in which half, 95 % and 99 % of the steps were answered. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly stepsPerSecond: number;
  /** The share of one core that the load generator took. */
  readonly loadCores: number;
}

/** A process that plays many sessions at once. */
export class LoadGenerator implements Disposable {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, "load-process.ts"));

  play(server: EchoServer, sessions: number, steps: number): Promise<Played> {
    return this.#obey({ kind: "play", ...askedOf(server), sessions, steps });
  }

  /** Opens sessions that then do nothing. */
  hold(server: EchoServer, sessions: number): Promise<Opened> {
    return this.#obey({ kind: "hold", ...askedOf(server), sessions });
  }

  storm(): Promise<Opened> {
    return this.#obey({ kind: "storm" });
  }

  async #obey<Result>(order: Order): Promise<Result> {
    this.#child.send(order);
    const [result] = await once(this.#child, "message");
    return result as Result;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

function askedOf({ url, reset, step }: EchoServer): Asked {
  return { url, reset, step };
}
