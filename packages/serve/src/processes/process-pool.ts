import type { Socket } from "node:net";
import { join } from "node:path";

import type { ProcessMessage, ProcessSetup } from "./messages.ts";
import { ServerProcess } from "./server-process.ts";

/** Options of a {@link ProcessPool}. */
export interface ProcessPoolOptions extends Omit<ProcessSetup, "socketPath"> {
  readonly count: number;
  /** The folder of the processes' sockets. */
  readonly folder: string;
  /** The time without a state report after which a process is killed. */
  readonly hangTimeoutMs: number;
  readonly onMessage: (process: ServerProcess, message: ProcessMessage) => void;
  /** Called when a process ends, or cannot be replaced. */
  readonly onEnd: (process: ServerProcess, cause: Error) => void;
}

/** The delays before the replacement of a process that ended within `earlyMs`. Other processes are replaced at once. */
const backoff = { minMs: 100, maxMs: 10_000, earlyMs: 5000 };

/** How often waiting connections are offered to other processes. */
const retryMs = 20;

/** How long processes may take to end after their last episode. */
const closeTimeoutMs = 10_000;

/** Processes that serve the same environments. One that ends or hangs is replaced. */
export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #ready = new Set<ServerProcess>();
  readonly #all = new Set<ServerProcess>();
  /** Connections that no process can take yet. */
  readonly #waiting: Socket[] = [];
  readonly #ticks: NodeJS.Timeout;
  #restart: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #earlyEnds = 0;
  #lastId = 0;
  #isClosing = false;
  killed = 0;
  crashed = 0;
  /** The timeouts of processes that have ended. */
  #pastTimeouts = 0;

  private constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#ticks = setInterval(() => this.#tick(), options.beatMs);
  }

  /** Starts all processes. Throws the first error of a process that cannot load the environments. */
  static async start(options: ProcessPoolOptions): Promise<ProcessPool> {
    const pool = new ProcessPool(options);
    try {
      await Promise.all(Array.from({ length: options.count }, () => pool.#add()));
      return pool;
    } catch (error) {
      await pool.kill();
      throw error;
    }
  }

  get ready(): readonly ServerProcess[] {
    return [...this.#ready];
  }

  get timeouts(): number {
    return this.ready.reduce((sum, { state }) => sum + state.timeouts, this.#pastTimeouts);
  }

  /** Hands a connection to the process with the fewest. */
  connect(socket: Socket): void {
    if (this.#isClosing && this.#ready.size === 0) return void socket.destroy();
    this.#waiting.push(socket);
    this.#dispatch();
  }

  /** Lets open episodes end, then ends all processes. */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restart);
    for (const process of this.#all) process.send({ kind: "close", drainMs });
    const timer = setTimeout(() => this.#killAll(), drainMs + closeTimeoutMs);
    await Promise.all([...this.#all].map(({ exited }) => exited));
    clearTimeout(timer);
    clearInterval(this.#ticks);
    clearTimeout(this.#retry);
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  async kill(): Promise<void> {
    this.#isClosing = true;
    this.#killAll();
    await this.close(0);
  }

  #killAll(): void {
    for (const process of this.#all) process.kill();
  }

  async #add(): Promise<void> {
    const { folder, references, options, beatMs, onMessage, onEnd } = this.#options;
    this.#lastId += 1;
    const process: ServerProcess = new ServerProcess(
      { references, options, beatMs, socketPath: socketPathIn(folder, this.#lastId) },
      {
        onMessage: (message) => {
          onMessage(process, message);
          if (message.kind === "take") this.#give(process);
        },
        onExit: (cause, unaccepted) => {
          this.#all.delete(process);
          this.#pastTimeouts += process.state.timeouts;
          this.#waiting.unshift(...unaccepted);
          const wasReady = this.#ready.delete(process);
          onEnd(process, cause);
          if (this.#isClosing || !wasReady) return;
          if (!process.isKilled) this.crashed += 1;
          // Replaces a blocked process without a delay, because it has run for at least the time limit of a step.
          this.#replaceSoon(!process.isKilled && process.ageMs < backoff.earlyMs);
          this.#dispatch();
        },
      },
    );
    this.#all.add(process);
    await process.ready;
    this.#ready.add(process);
    this.#dispatch();
  }

  #replaceSoon(endedEarly: boolean): void {
    const { minMs, maxMs } = backoff;
    this.#earlyEnds = endedEarly ? this.#earlyEnds + 1 : 0;
    const delay = this.#earlyEnds < 2 ? 0 : Math.min(minMs * 2 ** this.#earlyEnds, maxMs);
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => void this.#refill(), delay);
  }

  async #refill(): Promise<void> {
    const missing = this.#options.count - this.#all.size;
    if (this.#isClosing || missing <= 0) return;
    const starts = Array.from({ length: missing }, () => this.#add());
    const results = await Promise.allSettled(starts);
    if (!this.#isClosing && results.some(({ status }) => status === "rejected"))
      this.#replaceSoon(true);
  }

  #give(process: ServerProcess): void {
    const socket = this.#waiting.shift();
    if (socket !== undefined) process.connect(socket);
    this.#dispatch();
  }

  /** Offers waiting connections to the processes with the fewest connections. */
  #dispatch(): void {
    const load = ({ connections, pendingOffers = 0 }: ServerProcess): number =>
      connections + pendingOffers;
    const answering = this.ready.filter(({ pendingOffers }) => pendingOffers !== undefined);
    const offers = answering.reduce((sum, { pendingOffers = 0 }) => sum + pendingOffers, 0);
    for (let count = offers; count < this.#waiting.length; count += 1) {
      const free = answering.filter(({ canBeOffered }) => canBeOffered);
      if (free.length === 0) break;
      free.reduce((a, b) => (load(b) < load(a) ? b : a)).offer();
    }
    if (this.#waiting.length > 0 && this.#retry === undefined)
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#dispatch();
      }, retryMs);
  }

  #tick(): void {
    const { beatMs, hangTimeoutMs } = this.#options;
    for (const process of this.#ready) {
      if (process.tick() * beatMs <= hangTimeoutMs || process.isKilled) continue;
      this.killed += 1;
      process.kill();
    }
    this.#dispatch();
  }
}

function socketPathIn(folder: string, id: number): string {
  return process.platform === "win32"
    ? `\\\\.\\pipe\\envs-${process.pid}-${id}`
    : join(folder, `${id}.sock`);
}
