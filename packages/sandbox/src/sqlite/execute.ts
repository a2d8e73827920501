import type { RunResult } from "../sandbox.ts";
import { limitMessage, type TimeLimit } from "../time/run-time.ts";
import type { Engine } from "./engine.ts";
import { Reader } from "./reader.ts";

/** The result of a run of SQL; the host knows whether the database was reset. */
export type Outcome = Omit<RunResult, "reset">;

/** The size of a pointer in WebAssembly's 32-bit memory. */
const pointerSize = 4;

export interface RunLimits {
  readonly ms: number;
  readonly output: number;
}

/** Executes statements, until one fails. */
export function execute(engine: Engine, code: string, limits: RunLimits): Outcome {
  const { capi, WasmAllocError } = engine.sqlite;
  const reader = new Reader(engine.sqlite, limits.output);
  engine.time.start(limits.ms);
  let status = 0;
  let limit: TimeLimit | undefined;
  let problem = "";
  try {
    if (code.includes("\0")) throw new SyntaxError("the statement has a NUL character");
    status = runStatements(engine, code, reader);
    if (status !== capi.SQLITE_OK) problem = capi.sqlite3_errmsg(engine.db);
  } catch (error) {
    // The code itself does not fit into SQLite's memory.
    status = error instanceof WasmAllocError ? capi.SQLITE_NOMEM : capi.SQLITE_ERROR;
    problem = (error as Error).message;
  } finally {
    limit = engine.time.reached();
    engine.time.start(Infinity);
  }
  if (status !== capi.SQLITE_OK) reader.fail();
  const timedOut = status === capi.SQLITE_INTERRUPT;
  if (timedOut) problem = limitMessage(limit ?? "cpu", limits.ms);
  return {
    stdout: reader.stdout,
    stderr: status === capi.SQLITE_OK ? "" : `Error: ${problem}\n`.slice(0, limits.output),
    value: reader.value,
    exitCode: status === capi.SQLITE_OK ? 0 : 1,
    timedOut,
    outOfMemory: status === capi.SQLITE_NOMEM,
    truncated: reader.truncated,
  };
}

/** Compiles and runs one statement after another. Returns the status of the last. */
function runStatements({ sqlite, db }: Engine, code: string, reader: Reader): number {
  const { capi, wasm } = sqlite;
  return wasm.scopedAllocCall(() => {
    const bytes = new TextEncoder().encode(code);
    const pointers = wasm.scopedAlloc(2 * pointerSize);
    const [statementAt, tailAt] = [pointers, pointers + pointerSize];
    let start = wasm.scopedAlloc(bytes.length + 1);
    const end = start + bytes.length;
    wasm.heap8u().set(bytes, start);
    wasm.poke8(end, 0);
    while (start < end) {
      const status = capi.sqlite3_prepare_v3(db, start, end - start + 1, 0, statementAt, tailAt);
      if (status !== capi.SQLITE_OK) return status;
      start = wasm.peekPtr(tailAt);
      const statement = wasm.peekPtr(statementAt);
      // Without a statement there was only a comment.
      if (statement !== 0) {
        const ended = runStatement(sqlite, statement, reader);
        if (ended !== capi.SQLITE_OK) return ended;
      }
    }
    return capi.SQLITE_OK;
  });
}

function runStatement({ capi }: Engine["sqlite"], statement: number, reader: Reader): number {
  try {
    reader.begin(statement);
    let status: number;
    do status = capi.sqlite3_step(statement);
    while (status === capi.SQLITE_ROW && reader.add(statement));
    return status === capi.SQLITE_ROW || status === capi.SQLITE_DONE ? capi.SQLITE_OK : status;
  } finally {
    capi.sqlite3_finalize(statement);
  }
}
