import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { spawnConfined } from "../bubblewrap/spawn.ts";
import { Output } from "../child/output.ts";
import {
  type Limits,
  limitsOf,
  type RunOptions,
  type RunResult,
  type Sandbox,
  type SandboxOptions,
} from "../sandbox.ts";
import { Turns } from "../turns.ts";
import { type Files, normalized, packed, unpacked } from "./archive.ts";

const folder = "/work";
/**
 * Files come in by descriptor 3 and go out by 4; 5 reports that the sandbox exists. Code does not have them. `ulimit -u` counts the
 * processes of this sandbox only.
 */
const supervisor = `echo >&5; exec 5>&-
tar -xf - <&3 3<&- && exec 3<&-
(exec 4>&-; ulimit -u "$1"; exec bash -c "$2"); code=$?
tar -cf - . >&4
exit $code`;

const memoryMessage =
  /cannot allocate memory|xrealloc|xmalloc|memory exhausted|MemoryError|out of memory/i;

/** Runs each program in a new process tree, with the files that the previous program left. */
export class ProgramSandbox implements Sandbox {
  readonly #limits: Limits;
  readonly #turns: Turns;
  readonly #created: Files;
  #files: Files;
  #isReset = false;

  constructor(options: SandboxOptions) {
    const { files = {}, signal } = options;
    this.#limits = limitsOf(options);
    this.#turns = new Turns(signal);
    this.#created = new Map(
      Object.entries(files).map(([path, content]) => [
        normalized(path),
        Buffer.from(content as string),
      ]),
    );
    this.#files = this.#created;
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#turns.next(() => this.#run(code, options));
  }

  read(path: string): Promise<Uint8Array> {
    return this.#turns.next(async () => {
      const content = this.#files.get(normalized(path));
      if (content === undefined) throw new Error(`There is no file ${path} in the sandbox.`);
      return content;
    });
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#turns.next(async () => {
      this.#files = new Map([...this.#files, [normalized(path), Buffer.from(content as string)]]);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.close();
  }

  async #run(code: string, { stdin = "", signal, ms = Infinity }: RunOptions): Promise<RunResult> {
    signal?.throwIfAborted();
    const { memory, processes, disk, output: maxOutput } = this.#limits;
    const child = startProgram(code, { memory, processes, disk });
    const signals = [this.#turns.closed, ...(signal === undefined ? [] : [signal])];
    const ended = AbortSignal.any(signals);
    const [input, out, error, filesIn, filesOut, started] = child.stdio as unknown as Streams;
    const exited = exitOf(child);
    // If bubblewrap is killed during its start, it leaves a process that waits for it.
    const hasStarted = Promise.race([once(started, "data"), exited]);
    const kill = (): void => void hasStarted.then(() => child.kill("SIGKILL"));
    ended.addEventListener("abort", kill, { once: true });
    let timedOut = false;
    const timer = setTimeout(
      () => {
        timedOut = true;
        kill();
      },
      Math.min(ms, this.#limits.ms),
    );
    const output = new Output(maxOutput);
    out.on("data", (data: Buffer) => output.write("stdout", data));
    error.on("data", (data: Buffer) => output.write("stderr", data));
    for (const stream of [input, filesIn]) stream.on("error", () => {});
    input.end(stdin);
    filesIn.end(await packed(this.#files));
    const files = unpacked(filesOut, 2 * disk + 1024 ** 2).catch(() => undefined);
    const exitCode = await exited;
    clearTimeout(timer);
    ended.removeEventListener("abort", kill);
    const left = await files;
    const wasReset = this.#isReset;
    const isLost = ended.aborted || timedOut || left === undefined;
    this.#files = isLost ? this.#created : left;
    this.#isReset = isLost;
    ended.throwIfAborted();
    this.#isReset = false;
    const { stdout, stderr } = output.texts;
    const outOfMemory = !timedOut && exitCode !== 0 && memoryMessage.test(stderr);
    const { truncated } = output;
    const reset = isLost || wasReset;
    return { stdout, stderr, value: undefined, exitCode, timedOut, outOfMemory, truncated, reset };
  }
}

type Streams = readonly [Writable, Readable, Readable, Writable, Readable, Readable];

function startProgram(
  code: string,
  { memory, processes, disk }: Pick<Limits, "memory" | "processes" | "disk">,
): ChildProcess {
  const system = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
  ];
  return spawnConfined(
    {
      name: "programs",
      command: ["/bin/bash", "-c", supervisor, "bash", String(processes), code],
      readOnly: Object.fromEntries(system.map((path) => [path, path])),
      writable: { [folder]: disk, "/tmp": disk },
      folder,
      environment: { PATH: "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" },
      system: true,
      forks: true,
      ulimits: { v: memory / 1024 },
      isUnprivileged: true,
    },
    ["pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  );
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(127));
    child.once("close", (code) => resolve(code ?? 137));
  });
}
