import { parentPort, workerData } from "node:worker_threads";

import { threadTime } from "../time/cpu-time.ts";
import { type Engine, type Files, type OpenOptions, openEngine, writeFiles } from "./engine.ts";
import { execute, type Outcome, type RunLimits } from "./execute.ts";

/** A request to the thread of a database. */
export type Request =
  | { readonly kind: "open"; readonly options: OpenOptions }
  | { readonly kind: "run"; readonly code: string; readonly limits: RunLimits }
  | { readonly kind: "read" }
  | { readonly kind: "write"; readonly files: Files }
  | { readonly kind: "close" };

/** The answer, or the message of an error. */
export type Response =
  | { readonly value: Outcome | Uint8Array | undefined }
  | { readonly error: string };

const started = workerData as Float64Array;

/** A thread has one database at a time. The next one gets new WebAssembly memory. */
let engine: Engine | undefined;

async function answer(request: Request): Promise<Response> {
  try {
    if (request.kind === "open") {
      engine = await openEngine(request.options);
      return { value: undefined };
    }
    if (engine === undefined) throw new Error("The database is not open.");
    const { sqlite, db } = engine;
    switch (request.kind) {
      case "close":
        db.close();
        engine = undefined;
        return { value: undefined };
      case "run":
        started[0] = threadTime();
        return { value: execute(engine, request.code, request.limits) };
      case "read":
        return { value: sqlite.capi.sqlite3_js_db_export(db) };
      case "write":
        writeFiles(engine, request.files);
        return { value: undefined };
    }
  } catch (error) {
    return { error: (error as Error).message };
  }
}

const port = parentPort!;
port.on("message", (request: Request) => {
  void answer(request).then((response) => port.postMessage(response));
});
