import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { WorkerLine, WorkerStart } from "./protocol.ts";

/** The limits of a worker process. */
export interface WorkerLimits {
  /** The memory of the engine that runs the bundle. */
  readonly engineBytes: number;
  /** The maximum resident memory of the process, which is ended above it. */
  readonly processBytes: number;
  /** The longest response, in characters. */
  readonly maxResponse: number;
}

/** The limits of rescoring. */
export const workerLimits: WorkerLimits = {
  engineBytes: 192 * 2 ** 20,
  processBytes: 640 * 2 ** 20,
  maxResponse: 8 * 2 ** 20,
};

/** Why a worker did not respond. The message is for the run's page. */
export class WorkerProblem extends Error {
  override readonly name = "WorkerProblem";
}

/** A process that runs one bundle, or samples one tiny model. */
export interface WorkerProcess extends Disposable {
  /** Sends a request and waits for the response. After a {@link WorkerProblem}, the process has ended. */
  readonly request: (text: string, timeoutMs: number) => Promise<string>;
}

const isSource = import.meta.url.endsWith(".ts");
const extension = isSource ? "ts" : "js";
/** The programs of workers: the engine for bundles, and the sampler of tiny models, which runs no code of others. */
const programs = { bundle: `worker.${extension}`, tiny: `tiny-worker.${extension}` } as const;
const memoryCheckMs = 200;

interface WorkerOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What the process runs. Default `bundle`. */
  readonly program?: keyof typeof programs | undefined;
}

/** Starts a process and loads a bundle into it, or the checkpoint of a tiny model in base64. */
export async function startWorker(
  code: string,
  { engineBytes, processBytes, maxResponse }: WorkerLimits,
  { timeoutMs, signal, program = "bundle" }: WorkerOptions,
): Promise<WorkerProcess> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${Math.ceil(engineBytes / 2 ** 20)}`,
      // No files but its own modules, no processes and no addons.
      "--permission",
      ...readableFolders(program).map((folder) => `--allow-fs-read=${folder}`),
      "--disable-warning=ExperimentalWarning",
      fileURLToPath(new URL(programs[program], import.meta.url)),
    ],
    { env: {}, stdio: ["pipe", "pipe", "ignore"] },
  );
  const end = () => void child.kill("SIGKILL");
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  const lines = readLines(child);
  const memory = watchMemory(child, processBytes);
  child.on("exit", () => {
    memory.stop();
    signal?.removeEventListener("abort", end);
  });
  // Ignores errors of the pipe: the process may end before it has read everything.
  child.stdin.on("error", () => {});

  const exchange = async (line: string, limit: number): Promise<string> => {
    child.stdin.write(`${line}\n`);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<"timeout">((resolve) => {
      timer = setTimeout(() => resolve("timeout"), limit);
    });
    const received = await Promise.race([lines.next(), timeout]);
    clearTimeout(timer);
    const problem = problemOf(received, { limit, isMemoryExceeded: memory.isExceeded(), program });
    if (problem === undefined) return (received as { readonly response: string }).response;
    end();
    throw new WorkerProblem(problem);
  };

  const start: WorkerStart = { code, memoryBytes: engineBytes, maxResponse };
  await exchange(JSON.stringify(start), timeoutMs);
  return {
    request: (text, limit) => exchange(JSON.stringify(text), limit),
    [Symbol.dispose]: end,
  };
}

function problemOf(
  received: WorkerLine | "timeout" | undefined,
  {
    limit,
    isMemoryExceeded,
    program,
  }: {
    readonly limit: number;
    readonly isMemoryExceeded: boolean;
    readonly program: keyof typeof programs;
  },
): string | undefined {
  const subject = program === "tiny" ? "tiny model" : "bundle";
  if (received === "timeout")
    return `The ${subject} did not respond within ${Number((limit / 1000).toFixed(1))} seconds.`;
  if (received !== undefined) return received.problem;
  return isMemoryExceeded
    ? `The ${subject} exceeded the memory of its process.`
    : `The process of the ${subject} ended unexpectedly.`;
}

/** The lines of a process; `undefined` after its end. */
function readLines(child: ChildProcess) {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    async next(): Promise<WorkerLine | undefined> {
      const { value, done } = await lines.next();
      return done === true ? undefined : (JSON.parse(value) as WorkerLine);
    },
  };
}

/** Ends a process that has more resident memory than it may. Reads it from Linux's /proc; elsewhere, the engine's limit remains. */
function watchMemory(child: ChildProcess, maxBytes: number) {
  let isExceeded = false;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    const kibibytes = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    if (kibibytes * 1024 <= maxBytes) return;
    isExceeded = true;
    child.kill("SIGKILL");
  }, memoryCheckMs);
  timer.unref();
  return { stop: () => clearInterval(timer), isExceeded: () => isExceeded };
}

/** The folders of this package, of the program, and of installed packages. The hub's data is in none of them. */
function readableFolders(program: keyof typeof programs): readonly string[] {
  const own = createRequire(import.meta.url);
  const packages = program === "tiny" ? ["@envs/tiny-model", "@envs/core"] : [];
  const sandbox = own.resolve("@envs/sandbox/package.json");
  const engine = createRequire(sandbox).resolve("quickjs-emscripten-core");
  const [installed = dirname(engine)] = /^.*?[\\/]node_modules[\\/]/.exec(engine) ?? [];
  return [
    fileURLToPath(new URL("../../../", import.meta.url)),
    dirname(sandbox),
    ...packages.map((name) => dirname(own.resolve(`${name}/package.json`))),
    installed,
  ];
}
