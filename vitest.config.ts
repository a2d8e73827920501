import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { retries } from "./tooling/retries.ts";

const conditions = ["@envs/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...retries,
    include: [
      "{packages,environments,examples,e2e,bench,tooling,hub-server}/**/test/**/*.test.ts",
      "e2e/*.test.ts",
    ],
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      "packages/cli/templates/**",
      "**/*.{real,clients}.test.ts",
    ],
    // By default, a machine of two cores runs one file at a time.
    maxWorkers: "100%",
    // Threads that load TypeScript strip its types with WebAssembly. As several end, V8 collects that code twice, and dies.
    execArgv: ["--no-wasm-code-gc"],
    // Tests start hundreds of programs, of ours and of package managers: what Node compiles once is kept for the others.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/node-compile") },
    // PostgreSQL and an object store, for the tests that ask for them.
    globalSetup: ["packages/hub-testing/src/services.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    typecheck: {
      enabled: true,
      include: ["**/test/**/*.test-d.ts"],
      tsconfig: "tsconfig.test.json",
    },
  },
});
