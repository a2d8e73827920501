import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { LongestFirst } from "./tooling/src/longest-first.ts";
import { exclude, resolveSource, patience } from "./tooling/src/test-options.ts";

const root = import.meta.dirname;
const include = [
  "{packages,environments,examples,e2e,bench,tooling,hub-server}/**/test/**/*.test.ts",
];
const slow = include.map((pattern) => pattern.replace("*.test.ts", "*.slow.test.ts"));

const fast = globSync(include, { cwd: root, exclude: (name) => name === "node_modules" })
  .filter((path) => !path.endsWith(".slow.test.ts"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** Files whose tests check more cases in the project `cases`, which is slow. */
const withCases = fast.filter(({ text }) => text.includes('"@envs/tooling/cases"'));
/**
 * Tests of a hub that run on the embedded database too: its SQL is the same, but all queries share one connection. The tests of
 * clients start hubs with that database, and check access, teams, staged versions and unpublishing.
 */
const onEmbeddedDatabase = [
  "database",
  "lifecycle",
  "publish",
  "replicas",
  "run-uploads.slow",
  "runs",
].map((name) => `hub-server/test/${name}.test.ts`);

/** Fast files that run in one process after another, with its modules: to start a process and import costs more than their tests. */
const shared = [
  "packages/*/test/**/*.test.ts",
  "{environments/*,hub-server,tooling}/test/**/*.test.ts",
];
const notFast = [
  ...exclude,
  ...slow,
  "**/*.{real,agents,clients,power,budgets,sandbox,tinker,hosts,machines}.test.ts",
];
const sharing = { isolate: false, setupFiles: ["tooling/src/restore-after-file.ts"] };
/** Slow tests wait for programs and kills half of their time. They run after the fast ones, if both run. */
const slowly = {
  maxWorkers: 2 * availableParallelism(),
  sequence: { sequencer: LongestFirst, groupOrder: 1 },
};
const onServer = { ENVS_TEST_DATABASES: "server" };
const allCases = { ...onServer, ENVS_ALL_CASES: "1" };

export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    // Some tests wait for servers, and a third file uses that time. Vitest takes a percentage above 100 for 100.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Starts PostgreSQL and an object store for tests that need them.
    globalSetup: ["hub-server/test/support/services.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include,
          exclude: [...notFast, ...shared],
          env: onServer,
        },
      },
      {
        extends: true,
        test: {
          name: "fast-shared",
          include: shared,
          exclude: notFast,
          env: onServer,
          ...sharing,
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          ...slowly,
          include: slow,
          exclude: [...exclude, ...shared],
          env: allCases,
        },
      },
      {
        extends: true,
        test: {
          name: "slow-shared",
          ...slowly,
          include: shared.map((pattern) => pattern.replace("*.test.ts", "*.slow.test.ts")),
          exclude,
          env: allCases,
          ...sharing,
        },
      },
      {
        extends: true,
        test: {
          name: "cases",
          ...slowly,
          include: withCases.map(({ path }) => path),
          exclude,
          env: allCases,
          ...sharing,
        },
      },
      {
        extends: true,
        test: {
          name: "embedded",
          ...slowly,
          include: onEmbeddedDatabase,
          exclude,
          env: { ENVS_TEST_DATABASES: "embedded" },
          ...sharing,
        },
      },
    ],
    // Node 24 strips the types of threads with WebAssembly. V8 crashes when it collects the WebAssembly code while several
    // threads end.
    execArgv: ["--no-wasm-code-gc"],
    // Tests start hundreds of programs, which share Node's compile cache.
    env: {
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile"),
      // The first test that needs the files for browsers builds them for all processes of the run.
      ENVS_TEST_RUN: `${process.pid}-${Date.now()}`,
    },
  },
});
