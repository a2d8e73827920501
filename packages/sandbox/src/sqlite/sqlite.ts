import { ConfigError } from "@envs/core";

import { limitsOf, type SandboxProvider } from "../sandbox.ts";
import { Database } from "./database.ts";

/**
 * The most output of a run. A row of one byte takes up to a hundred in JavaScript, and Node may abort the whole process if the
 * memory of a thread overflows.
 */
const maxOutput = 1024 ** 2;

export interface SqliteOptions {
  /** Whether SQL can only read, so that `files` alone determine the database. Default `false`. */
  readonly readOnly?: boolean | undefined;
}

/**
 * SQLite, as WebAssembly in a thread. A sandbox is one database in memory: the file `main.db` is its image, and files with other
 * names are scripts that are executed in their order. `value` is `{ columns, rows }` of the last statement that returns rows.
 * `ATTACH`, and pragmas that do not describe the database, are not authorized. The clock is fixed, and `random()` returns the
 * same numbers in every database.
 */
export function sqlite({ readOnly = false }: SqliteOptions = {}): SandboxProvider {
  return {
    kind: "sandbox",
    name: "sqlite",
    traits: {
      name: "sqlite",
      language: "sql",
      persistent: true,
      isolation: "wasm",
      functions: false,
    },
    // Needs no check, because SQLite is a dependency.
    check: async () => {},
    async create({ files = {}, limits, functions = {}, signal } = {}) {
      const [name] = Object.keys(functions);
      if (name !== undefined)
        throw new ConfigError(
          `SQL cannot call the function ${name} of the host. Use a sandbox whose traits include functions.`,
        );
      signal?.throwIfAborted();
      const all = limitsOf({ limits });
      const database = await Database.open({
        readOnly,
        files,
        limits: { ...all, output: Math.min(all.output, maxOutput) },
      });
      signal?.addEventListener("abort", () => void database[Symbol.asyncDispose](), { once: true });
      return database;
    },
  };
}
