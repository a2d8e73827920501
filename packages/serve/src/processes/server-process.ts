import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";

import type { PrimaryMessage, ProcessMessage, ProcessSetup, ProcessState } from "./messages.ts";
import { deserializeError } from "./serialized-error.ts";
import type { SessionOwner } from "./session-directory.ts";
import { moduleUrl, processExecArgv } from "./source-module.ts";

/** The age in milliseconds of an unanswered offer at which a process gets no further ones. */
const maxOfferMs = 100;

/** The maximum number of offers that a process has not answered. */
const maxOffers = 8;

/** The number of intervals without a state report after which a process counts as blocked. */
const blockedBeats = 4;

/** The handlers of the primary for a process's messages. */
export interface ProcessHandlers {
  readonly onMessage: (message: ProcessMessage) => void;
  /** Called once, with the connections that the process had not received. */
  readonly onExit: (cause: Error, unaccepted: readonly Socket[]) => void;
}

/** The primary's handle of a process that serves sessions. */
export class ServerProcess implements SessionOwner {
  readonly socketPath: string;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();
  readonly #unaccepted = new Map<number, Socket>();
  #lastConnection = 0;
  /** The times of the unanswered offers. */
  readonly #offers: number[] = [];
  /** The number of intervals since the last state report. */
  #missedBeats = 0;
  /** The number of connections of clients. */
  connections = 0;
  isKilled = false;
  state: ProcessState = { busy: 0, stuck: 0, timeouts: 0 };
  /** Resolves once the process accepts connections. Rejects with the error of an environment. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;

  constructor(setup: ProcessSetup, { onMessage, onExit }: ProcessHandlers) {
    this.socketPath = setup.socketPath;
    // What an environment prints must not mix with the output of the command.
    this.#child = fork(moduleUrl("worker"), {
      execArgv: processExecArgv,
      stdio: ["ignore", 2, 2, "ipc"],
    });
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    ready.promise.catch(() => undefined);
    this.#child.on("message", (message: ProcessMessage) => {
      this.#missedBeats = 0;
      if (message.kind === "ready") ready.resolve();
      else if (message.kind === "failed") ready.reject(deserializeError(message.error));
      else if (message.kind === "beat") this.state = message;
      else if (message.kind === "take") this.#offers.shift();
      else if (message.kind === "accepted") this.#accept(message.connection);
      else if (message.kind === "disconnected") this.connections -= 1;
      onMessage(message);
    });
    this.exited = new Promise((resolve) => {
      const end = (cause: Error): void => {
        ready.reject(cause);
        onExit(cause, [...this.#unaccepted.values()]);
        this.#unaccepted.clear();
        resolve();
      };
      this.#child.once("exit", (code, signal) => end(exitError(this.#child.pid, code, signal)));
      this.#child.on("error", (error) => {
        // A failed start has no exit event.
        if (this.#child.pid === undefined) end(error);
      });
    });
    this.send({ kind: "setup", setup });
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  get isBlocked(): boolean {
    return this.#missedBeats >= blockedBeats;
  }

  /** The number of unanswered offers; `undefined` if the process gets no more for now. */
  get pendingOffers(): number | undefined {
    const [oldest = Infinity] = this.#offers;
    if (performance.now() - oldest > maxOfferMs) return undefined;
    return this.#offers.length;
  }

  get canBeOffered(): boolean {
    const { pendingOffers } = this;
    return pendingOffers !== undefined && pendingOffers < maxOffers && !this.isBlocked;
  }

  /** Asks the process whether it can receive a connection now. */
  offer(): void {
    this.#offers.push(performance.now());
    this.send({ kind: "offer" });
  }

  send(message: PrimaryMessage): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Hands a connection over. The primary closes its own handle once the process has received it. */
  connect(socket: Socket): void {
    this.connections += 1;
    this.#lastConnection += 1;
    const connection = this.#lastConnection;
    this.#unaccepted.set(connection, socket);
    const message: PrimaryMessage = { kind: "connection", connection };
    this.#child.send(message, socket, { keepOpen: true }, () => undefined);
  }

  /** Adds an interval to the count. Returns the number of intervals since the last state report. */
  tick(): number {
    this.#missedBeats += 1;
    return this.#missedBeats;
  }

  kill(): void {
    this.isKilled = true;
    this.#child.kill("SIGKILL");
  }

  #accept(connection: number): void {
    this.#unaccepted.get(connection)?.destroy();
    this.#unaccepted.delete(connection);
  }
}

function exitError(
  pid: number | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
): Error {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  return new Error(`The process ${pid} ${how}.`);
}
