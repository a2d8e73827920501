import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";

import { messageOf } from "@envs/core/engine";

import type { HostFunction } from "../sandbox.ts";
import { processTime } from "../time/cpu-time.ts";
import { RunTime, type TimeLimit } from "../time/run-time.ts";
import type { Question, Request } from "./messages.ts";
import { readReply, type Call, type Reply } from "./reply.ts";

/** The file descriptors of a sandbox's process: nothing, its error output, and the two sockets of messages. */
export const descriptors = ["ignore", "ignore", "pipe", "pipe", "pipe"] as const;

/** Why a process ended before it answered. */
export type Ending = "late" | "aborted" | "broken" | "exited";

/** The longest time of a timer. */
const maxTimerMs = 2 ** 31 - 1;

export interface AskOptions {
  /** Ends the process after this time without the time of host functions: CPU time if the process `countsCpuTime`. */
  readonly ms?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly functions?: Readonly<Record<string, HostFunction>> | undefined;
  /** The largest answer in bytes. */
  readonly maxBytes: number;
}

export interface PeerOptions {
  readonly kill: (child: ChildProcess) => void;
  /** Whether limits are of CPU time. Otherwise they are of the clock, for code that may wait, as in a shell. */
  readonly countsCpuTime: boolean;
}

/** A sandbox's process as its host sees it: one question at a time. Between questions, it does not keep this process alive. */
export class Peer {
  readonly #child: ChildProcess;
  readonly #killChild: (child: ChildProcess) => void;
  readonly #time: RunTime;
  readonly #countsCpuTime: boolean;
  #timer: NodeJS.Timeout | undefined;
  readonly #sockets: readonly [input: Socket, output: Socket];
  readonly #ended = Promise.withResolvers<undefined>();
  #parts: Buffer[] = [];
  #size = 0;
  #maxBytes = 0;
  #id = "";
  #settle: ((reply: Reply | undefined) => void) | undefined;
  #ending: Ending | undefined;
  #errors = "";
  #limit: TimeLimit | undefined;

  constructor(child: ChildProcess, { kill, countsCpuTime }: PeerOptions) {
    this.#child = child;
    this.#killChild = kill;
    this.#time = new RunTime(
      () => (countsCpuTime ? processTime(child.pid ?? 0) : undefined) ?? performance.now(),
    );
    this.#countsCpuTime = countsCpuTime;
    const [, , errors, input, output] = child.stdio as unknown as Socket[];
    this.#sockets = [input!, output!];
    child.on("error", () => this.#end("exited"));
    child.on("exit", () => this.#end("exited"));
    for (const socket of [errors!, ...this.#sockets]) {
      // The process may end while this one writes.
      socket.on("error", () => {});
      socket.unref();
    }
    output!.on("data", (bytes: Buffer) => this.#receive(bytes));
    errors!.on("data", (bytes: Buffer) => {
      this.#errors = (this.#errors + bytes.toString("utf8")).slice(-4096);
    });
    child.unref();
  }

  /** Why it ended; `undefined` while it runs. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The limit for which the process was ended; `undefined` if its only limit is the clock. */
  get limit(): TimeLimit | undefined {
    return this.#countsCpuTime ? this.#limit : undefined;
  }

  /** Whether the machine ended it, as Linux does when its memory is full. */
  get wasKilled(): boolean {
    return this.#ending === "exited" && this.#child.signalCode === "SIGKILL";
  }

  /** The last part of the process's own error output. */
  get errors(): string {
    return this.#errors.trim();
  }

  /** Sends a request and returns the answer; `undefined` if the process ended first. Calls of host functions are answered. */
  async ask(request: Request | undefined, options: AskOptions): Promise<Reply | undefined> {
    const { ms = Infinity, signal, functions = {} } = options;
    this.#maxBytes = options.maxBytes;
    this.#id = request === undefined ? "" : randomUUID();
    const abort = (): void => this.kill("aborted");
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#keepAlive(true);
    this.#time.start(ms);
    try {
      let next = request;
      for (;;) {
        const reply = await this.#exchange(next);
        if (reply?.type !== "call") return reply;
        const resume = this.#time.suspend();
        next = await Promise.race([callFunction(functions, reply), this.#ended.promise]);
        if (this.#ending !== undefined) return undefined;
        resume();
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#keepAlive(false);
    }
  }

  kill(ending: Ending): void {
    this.#killChild(this.#child);
    this.#end(ending);
  }

  async #exchange(request: Request | undefined): Promise<Reply | undefined> {
    if (this.#ending !== undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    this.#settle = resolve;
    this.#watchTime();
    if (request !== undefined) this.#send(request);
    // An answer may arrive before its question, such as the message that the process has started.
    this.#receive(Buffer.alloc(0));
    const reply = await promise;
    clearTimeout(this.#timer);
    return reply;
  }

  /** Ends the process when it has reached a limit. */
  #watchTime(): void {
    const ms = this.#time.untilNextCheck();
    if (ms === Infinity) return;
    const check = (): void => {
      this.#limit = this.#time.reached();
      if (this.#limit === undefined) this.#watchTime();
      else this.kill("late");
    };
    this.#timer = setTimeout(check, Math.min(ms, maxTimerMs));
  }

  #send(request: Request): void {
    const question: Question = { id: this.#id, request };
    const body = Buffer.from(JSON.stringify(question));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this.#sockets[0].write(Buffer.concat([head, body]));
  }

  #receive(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#settle === undefined) {
      // No request is open, so only code that took over the process can send that much.
      if (this.#size > 1024) this.kill("broken");
      return;
    }
    if (this.#size < 4) return;
    if (this.#parts[0]!.length < 4) this.#join();
    const length = this.#parts[0]!.readUInt32BE(0);
    if (length > this.#maxBytes) return this.kill("broken");
    if (this.#size < 4 + length) return;
    const all = this.#join();
    const rest = all.subarray(4 + length);
    [this.#parts, this.#size] = [[rest], rest.length];
    const reply = readReply(all.subarray(4, 4 + length), this.#id);
    if (reply === undefined) return this.kill("broken");
    const settle = this.#settle;
    this.#settle = undefined;
    settle(reply);
  }

  #join(): Buffer {
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(undefined);
    this.#ended.resolve(undefined);
    for (const socket of this.#sockets) socket.destroy();
  }

  #keepAlive(isNeeded: boolean): void {
    for (const handle of [this.#child, ...this.#sockets])
      if (isNeeded) handle.ref();
      else handle.unref();
  }
}

async function callFunction(
  functions: Readonly<Record<string, HostFunction>>,
  { name, args }: Call,
): Promise<Request> {
  const work = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (work === undefined) return { type: "throw", message: `There is no function ${name}.` };
  try {
    return { type: "return", value: (await work(...args)) ?? null };
  } catch (error) {
    return { type: "throw", message: messageOf(error) };
  }
}
