import { join } from "node:path";

const conditions = ["@envs/source"];

/** Makes tests import `src` instead of `dist`. */
export const resolveSource = { resolve: { conditions }, ssr: { resolve: { conditions } } };

/** CI runs a test that failed once more, and lists it as flaky: CI starts hundreds of programs on a busy machine. */
export const retries = {
  retry: process.env.CI === undefined ? 0 : 1,
  reporters: ["default", join(import.meta.dirname, "flaky-reporter.ts")],
};

/** Folders in which vitest never collects tests. */
export const exclude = ["**/node_modules/**", "**/dist/**", "packages/cli/templates/**"];
