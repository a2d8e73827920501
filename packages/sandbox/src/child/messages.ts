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
