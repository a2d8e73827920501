import type { Requirement } from "@envs/core";

/** A value that crosses the border of a sandbox. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

/** The limits of one sandbox. A provider documents which limits it enforces, and how. */
export interface Limits {
  /**
   * The time of one run, in milliseconds. Python in Pyodide, JavaScript and SQLite count CPU time, so that results do not depend on
   * the load of the machine; a run ends after 10 × `ms` + 20 s by the clock, too. The other providers count by the clock.
   */
  readonly ms: number;
  /** The memory in bytes of all processes in the sandbox. */
  readonly memory: number;
  /** The bytes of `stdout` and of `stderr` that a run returns. The rest is discarded. */
  readonly output: number;
  readonly processes: number;
  /** The size of all files in bytes. */
  readonly disk: number;
}

export const defaultLimits: Limits = {
  ms: 10_000,
  memory: 512 * 1024 ** 2,
  output: 64 * 1024,
  processes: 32,
  disk: 64 * 1024 ** 2,
};

/** The limits of a sandbox; one that is `undefined` is the default. */
export function limitsOf({ limits = {} }: SandboxOptions): Limits {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...defaultLimits, ...Object.fromEntries(given) };
}

/** Properties of a provider that authors can rely on. */
export interface SandboxTraits {
  /** `python`, `javascript`, … as in `envs sandbox doctor`. */
  readonly name: string;
  /** The language of the code that `run` takes. */
  readonly language: string;
  /** Whether variables live from one run to the next. Files always do. */
  readonly persistent: boolean;
  /** The boundary between code and the machine: the outermost one if there are several. */
  readonly isolation: "wasm" | "process" | "container" | "remote";
  /** Whether code can call `functions` of the host. */
  readonly functions: boolean;
}

/**
 * A function of the host, which code in the sandbox calls by its name and waits for. Its arguments come from untrusted code. If
 * it throws, code in the sandbox receives the error's message.
 */
export type HostFunction = (...args: Json[]) => Json | Promise<Json>;

export interface SandboxOptions {
  /** Files by path, relative to the working directory of the code. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Host functions by the name under which code calls them. */
  readonly functions?: Readonly<Record<string, HostFunction>> | undefined;
  /** Closes the sandbox when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Creates sandboxes of one kind. It is a {@link Requirement}: list it in `requires` of the environment. */
export interface SandboxProvider extends Requirement {
  readonly kind: "sandbox";
  readonly traits: SandboxTraits;
  /** Creates a sandbox for one rollout or one score. */
  create(options?: SandboxOptions): Promise<Sandbox>;
}

export interface RunOptions {
  readonly stdin?: string | undefined;
  /** Ends the run, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Lowers the limit `ms` for this run. */
  readonly ms?: number | undefined;
}

/** The result of code. An exceeded limit is part of the result; `run` does not throw for it. */
export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** The value of the last expression; `undefined` after a statement, or if it is not JSON. */
  readonly value: Json | undefined;
  /** 0 for success; 1 after an uncaught exception; a shell's or a program's own code; 128 plus the signal's number if it was killed. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
  /** Whether output was discarded. */
  readonly truncated: boolean;
  /** Whether the sandbox was restarted because its process ended: variables are lost, and the files are those of `create`. */
  readonly reset: boolean;
}

/** An isolated place in which code runs. If `setup` returns it in the state, the engine disposes it after scoring. */
export interface Sandbox extends AsyncDisposable {
  /** Runs code to its end. Runs of one sandbox wait for each other. */
  run(code: string, options?: RunOptions): Promise<RunResult>;
  /** Reads a file. Rejects if it does not exist. */
  read(path: string): Promise<Uint8Array>;
  /** Writes a file, and the folders above it. */
  write(path: string, content: string | Uint8Array): Promise<void>;
}
