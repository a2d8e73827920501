import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

import type { ServeError } from "../errors.ts";
import type { EnvironmentCard, EpisodeHost } from "../host/episode-host.ts";
import {
  isMovable,
  type ServerMessage,
  type WorkerCall,
  type WorkerMessage,
  type WorkerMethod,
  type WorkerResult,
  type WorkerSetup,
} from "./messages.ts";
import { encodePacket, readPackets, workerFd } from "./packets.ts";
import { deserializeError } from "./serialized-error.ts";
import { exitError, interrupted, lostEpisode, notBegun } from "./worker-errors.ts";
import { startWorkerProcess } from "./worker-process.ts";

/** The number of ticks without an answer after which a worker counts as blocked. */
const blockedTicks = 5;

/** An episode of a worker. */
export interface WorkerEpisode {
  /** Whether it has started. */
  readonly isOpen: boolean;
  /** Called if the worker ends before the episode. */
  readonly onLost: (error: ServeError) => void;
}

interface PendingCall {
  readonly method: WorkerMethod;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Rejects the call if the worker is blocked or ends. Undefined if no other worker may run the call. */
  moveError: Error | undefined;
}

/** The handlers of a worker's events. */
export interface WorkerHandlers {
  readonly onReport: (error: Error) => void;
  /** Called once. */
  readonly onEnd: (cause: Error) => void;
}

/** The server's handle of a process that runs episodes. */
export class EpisodeWorker {
  readonly #child: ChildProcess;
  readonly #pipe: Socket | undefined;
  readonly #startedAt = performance.now();
  readonly #calls = new Map<number, PendingCall>();
  readonly #episodes = new Set<WorkerEpisode>();
  #lastId = 0;
  #unsent: WorkerCall[] = [];
  #isSendScheduled = false;
  /** Whether the worker has not answered the last packet. Meanwhile, calls wait, so that they are one packet. */
  #isAwaitingAnswer = false;
  /** The number of ticks since the unanswered packet. */
  #missedTicks = 0;
  isKilled = false;
  #hasEnded = false;
  /** Resolves to the environments once they are loaded. Rejects with the error of an environment. */
  readonly ready: Promise<readonly EnvironmentCard[]>;
  readonly exited: Promise<void>;

  constructor(setup: WorkerSetup, { onReport, onEnd }: WorkerHandlers) {
    this.#child = startWorkerProcess();
    this.#pipe = (this.#child.stdio[workerFd] ?? undefined) as Socket | undefined;
    const ready = Promise.withResolvers<readonly EnvironmentCard[]>();
    this.ready = ready.promise;
    ready.promise.catch(() => undefined);
    const handle = (message: WorkerMessage): void => {
      if (!("kind" in message)) this.#settle(message);
      else if (message.kind === "begin") this.#setMoveError(message.call, undefined);
      else if (message.kind === "wait") this.#setMoveError(message.call, interrupted);
      else if (message.kind === "ready") ready.resolve(message.cards);
      else if (message.kind === "failed") ready.reject(deserializeError(message.error));
      else onReport(deserializeError(message.error));
    };
    if (this.#pipe !== undefined)
      readPackets(this.#pipe, (messages) => {
        this.#isAwaitingAnswer = false;
        for (const message of messages as readonly WorkerMessage[]) handle(message);
        this.#sendSoon();
      });
    // An environment may close the pipe.
    this.#pipe?.once("close", () => this.#child.kill("SIGKILL"));
    this.exited = new Promise((resolve) => {
      const end = (cause: Error): void => {
        this.#hasEnded = true;
        ready.reject(cause);
        this.#lose(cause);
        onEnd(cause);
        resolve();
      };
      this.#child.once("exit", (code, signal) => end(exitError(this.#child.pid, code, signal)));
      this.#child.on("error", (error) => {
        // A failed start has no exit event.
        if (this.#child.pid === undefined) end(error);
      });
    });
    this.#send([{ kind: "setup", setup }]);
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  get episodeCount(): number {
    return this.#episodes.size;
  }

  /** Whether an environment does not let the worker answer. */
  get isBlocked(): boolean {
    return this.#missedTicks >= blockedTicks;
  }

  get isIdle(): boolean {
    return this.#episodes.size === 0 && this.#calls.size === 0;
  }

  add(episode: WorkerEpisode): void {
    this.#episodes.add(episode);
  }

  remove(episode: WorkerEpisode): void {
    this.#episodes.delete(episode);
  }

  /**
   * Calls a method of the environment's host in the worker. If the worker is blocked or ends, a call that starts an episode
   * rejects with {@link notBegun} or {@link interrupted}, unless its code may be the reason.
   */
  call<Method extends WorkerMethod>(
    environment: number,
    method: Method,
    ...parameters: readonly unknown[]
  ): ReturnType<EpisodeHost[Method]> {
    this.#lastId += 1;
    const id = this.#lastId;
    const result = new Promise((resolve, reject) => {
      const moveError = isMovable(method) ? notBegun : undefined;
      const call: PendingCall = { method, resolve, reject, moveError };
      if (this.#hasEnded) return loseCall(call);
      this.#calls.set(id, call);
      this.#unsent.push([id, environment, method, parameters]);
      this.#sendSoon();
    });
    return result as ReturnType<EpisodeHost[Method]>;
  }

  /** Checks that the worker answers. Returns the number of ticks without an answer. */
  tick(): number {
    if (this.#isAwaitingAnswer) this.#missedTicks += 1;
    else {
      this.#missedTicks = 0;
      // A worker that an environment blocks does not answer.
      if (this.#calls.size > 0) this.#sendCalls();
    }
    if (this.isBlocked) this.#releaseCalls();
    return this.#missedTicks;
  }

  /** Ends the episodes and then the process. */
  close(): void {
    if (this.isBlocked) this.kill();
    else this.#send([{ kind: "close" }]);
  }

  kill(): void {
    this.isKilled = true;
    this.#child.kill("SIGKILL");
  }

  #sendSoon(): void {
    if (this.#isAwaitingAnswer || this.#isSendScheduled || this.#unsent.length === 0) return;
    this.#isSendScheduled = true;
    setImmediate(() => {
      this.#isSendScheduled = false;
      if (!this.#isAwaitingAnswer) this.#sendCalls();
    });
  }

  #sendCalls(): void {
    this.#isAwaitingAnswer = true;
    this.#send(this.#unsent);
    this.#unsent = [];
  }

  #send(messages: readonly ServerMessage[]): void {
    if (this.#pipe?.writable === true) this.#pipe.write(encodePacket(messages));
  }

  #setMoveError(id: number, error: Error | undefined): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.moveError = error;
  }

  #settle([id, result, error]: WorkerResult): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(deserializeError(error));
  }

  /** Ends the calls that need not wait for a blocked worker. */
  #releaseCalls(): void {
    for (const [id, { method, moveError, resolve, reject }] of this.#calls) {
      if (moveError === undefined && method !== "close") continue;
      this.#calls.delete(id);
      if (moveError === undefined) resolve(undefined);
      else reject(moveError);
    }
    // The worker still receives a call that ends an episode.
    this.#unsent = this.#unsent.filter(
      ([id, , method]) => method === "close" || this.#calls.has(id),
    );
  }

  #lose(cause: Error): void {
    for (const call of this.#calls.values()) loseCall(call, cause);
    this.#calls.clear();
    for (const { isOpen, onLost } of this.#episodes) if (isOpen) onLost(lostEpisode(cause));
    this.#episodes.clear();
  }
}

function loseCall({ method, moveError, resolve, reject }: PendingCall, cause?: Error): void {
  if (method === "close") resolve(undefined);
  else reject(moveError ?? lostEpisode(cause));
}
