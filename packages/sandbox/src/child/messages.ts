import type { Json, Limits } from "../sandbox.ts";

/** The messages of the host to a process that runs the code of one sandbox. The content of files is in base64. */
export type Request =
  | Start
  | Run
  | { readonly type: "return"; readonly value: Json }
  | { readonly type: "throw"; readonly message: string }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "write"; readonly path: string; readonly content: string };

/** The first request of a sandbox. */
export interface Start {
  readonly type: "start";
  readonly limits: Limits;
  /** By path. */
  readonly files: Readonly<Record<string, string>>;
  readonly functions: readonly string[];
}

export interface Run {
  readonly type: "run";
  readonly code: string;
  readonly stdin: string;
  readonly ms: number;
}

/** A request with a name that no code can guess, which its answers repeat. */
export interface Question {
  readonly id: string;
  readonly request: Request;
}

/** The messages of that process. The host checks each: code that took over the process can send anything. */
export type Reply =
  | { readonly type: "ready" }
  | { readonly type: "done" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "content"; readonly content: string }
  | Call
  | Result;

/** A call of a function of the host. The process waits for `return` or `throw`. */
export interface Call {
  readonly type: "call";
  readonly name: string;
  readonly args: readonly Json[];
}

export interface Result {
  readonly type: "result";
  readonly stdout: string;
  readonly stderr: string;
  readonly value?: Json | undefined;
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
  readonly truncated: boolean;
  /** Whether the process cannot run again. */
  readonly isBroken?: boolean | undefined;
}
