import {
  type Limits,
  limitsOf,
  type RunOptions,
  type RunResult,
  type Sandbox,
  type SandboxOptions,
} from "../sandbox.ts";
import { limitMessage } from "../time/run-time.ts";
import { Turns } from "../turns.ts";
import type { Request } from "./messages.ts";
import type { Peer } from "./peer.ts";
import type { PeerSource } from "./pool.ts";
import type { Reply } from "./reply.ts";

/** The milliseconds that a process has to interrupt its code before it is ended. */
const graceMs = 1000;
/** The largest answer beside files: the arguments of a host function, or a result. */
const maxAnswer = 64 * 1024 ** 2;

const sigkill = 137;

/** A sandbox whose code runs in its own process. A process that a limit ended is replaced when the next call needs it. */
export class ChildSandbox implements Sandbox {
  readonly #source: PeerSource;
  readonly #options: SandboxOptions;
  readonly #limits: Limits;
  readonly #turns: Turns;
  #peer: Peer | undefined;
  /** Whether variables were lost since the last result. */
  #isReset = false;

  private constructor(source: PeerSource, options: SandboxOptions) {
    this.#source = source;
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#turns = new Turns(options.signal);
    this.#turns.closed.addEventListener("abort", () => void this[Symbol.asyncDispose](), {
      once: true,
    });
  }

  /** Creates a sandbox, and starts its process, so that the first run need not. */
  static async open(source: PeerSource, options: SandboxOptions = {}): Promise<ChildSandbox> {
    const sandbox = new ChildSandbox(source, options);
    try {
      await sandbox.#turns.next(() => sandbox.#running());
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#turns.next(() => this.#run(code, options));
  }

  read(path: string): Promise<Uint8Array> {
    return this.#turns.next(async () => {
      const peer = await this.#running();
      const maxBytes = 2 * this.#limits.disk + maxAnswer;
      const reply = await this.#ask(peer, { type: "read", path }, maxBytes);
      if (reply.type !== "content") throw new Error(`${path} could not be read.`);
      return new Uint8Array(Buffer.from(reply.content, "base64"));
    });
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#turns.next(async () => {
      const peer = await this.#running();
      await this.#ask(peer, { type: "write", path, content: base64(content) });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Aborts an unfinished run together with its process.
    await this.#turns.close();
    const peer = this.#peer;
    this.#peer = undefined;
    if (peer?.ending === undefined && peer !== undefined) this.#source.giveBack(peer);
  }

  async #run(code: string, { stdin = "", signal, ms = Infinity }: RunOptions): Promise<RunResult> {
    signal?.throwIfAborted();
    const peer = await this.#running();
    const limit = Math.min(ms, this.#limits.ms);
    const { closed } = this.#turns;
    const reply = await peer.ask(
      { type: "run", code, stdin, ms: limit },
      {
        ms: limit + graceMs,
        signal: signal === undefined ? closed : AbortSignal.any([signal, closed]),
        functions: this.#options.functions,
        maxBytes: maxAnswer,
      },
    );
    closed.throwIfAborted();
    signal?.throwIfAborted();
    const result = reply?.type === "result" ? reply : undefined;
    if (result === undefined) peer.kill(reply?.type === "failed" ? "exited" : "broken");
    else if (result.isBroken === true) peer.kill("exited");
    const reset = this.#isReset || peer.ending !== undefined;
    this.#isReset = false;
    if (peer.ending !== undefined) this.#peer = undefined;
    if (result === undefined) return { ...endedResult(peer, reply, limit), reset };
    const { type: _, isBroken: __, value, ...fields } = result;
    return { ...fields, value, reset };
  }

  /** The process of this sandbox, with the files of `create` if it is new. */
  async #running(): Promise<Peer> {
    if (this.#peer !== undefined && this.#peer.ending === undefined) return this.#peer;
    this.#isReset ||= this.#peer !== undefined;
    const peer = await this.#source.take(this.#limits);
    const { files = {}, functions = {} } = this.#options;
    const contents = Object.entries(files).map(([path, content]) => [path, base64(content)]);
    this.#peer = peer;
    try {
      await this.#ask(peer, {
        type: "start",
        limits: this.#limits,
        files: Object.fromEntries(contents) as Record<string, string>,
        functions: Object.keys(functions),
      });
    } catch (error) {
      peer.kill("broken");
      throw error;
    }
    return peer;
  }

  async #ask(peer: Peer, request: Request, maxBytes = maxAnswer): Promise<Reply> {
    const ms = this.#limits.ms + graceMs;
    const reply = await peer.ask(request, { ms, signal: this.#turns.closed, maxBytes });
    this.#turns.closed.throwIfAborted();
    if (reply === undefined)
      throw new Error(`The sandbox ended (${peer.ending}). ${peer.errors}`.trim());
    if (reply.type === "failed") throw new Error(reply.message);
    return reply;
  }
}

/** The result of code that ended its process, or that the host had to end. What it printed is lost with the process. */
function endedResult(peer: Peer, reply: Reply | undefined, ms: number): Omit<RunResult, "reset"> {
  const problem = reply?.type === "failed" ? reply.message : "";
  const reasons = {
    late:
      peer.limit === undefined
        ? "The time limit ended the process."
        : `${limitMessage(peer.limit, ms)} It did not stop, and its process was ended.`,
    aborted: "The process was ended.",
    broken: "The process sent something else than a result, and was ended.",
    exited: `The process ended. ${problem || peer.errors}`.trim(),
  };
  const isFull = /out of memory|allocation failed|oom/i.test(`${peer.errors} ${problem}`);
  return {
    stdout: "",
    stderr: `${reasons[peer.ending ?? "exited"]}\n`,
    value: undefined,
    exitCode: sigkill,
    timedOut: peer.ending === "late",
    outOfMemory: isFull || peer.wasKilled,
    truncated: false,
  };
}

function base64(content: string | Uint8Array): string {
  return Buffer.from(content as Uint8Array).toString("base64");
}
