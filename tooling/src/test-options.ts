import { join } from "node:path";

const conditions = ["@envs/source"];

/** Makes tests import `src` instead of `dist`. */
export const resolveSource = { resolve: { conditions }, ssr: { resolve: { conditions } } };

/**
 * CI starts hundreds of programs on a busy machine. It runs a test that failed once more, and lists it as flaky. The limits of time
 * end a test that hangs. Tests set no shorter ones: how fast a test runs depends on what else the machine does.
 */
export const patience = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 120_000 } },
  retry: process.env.CI === undefined ? 0 : 1,
  reporters: ["default", join(import.meta.dirname, "flaky-reporter.ts")],
};

/** Folders in which vitest never collects tests. */
export const exclude = ["**/node_modules/**", "**/dist/**", "packages/cli/templates/**"];
