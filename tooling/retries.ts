import { join } from "node:path";

/** How every vitest of this repository treats a test that fails. A run of CI starts hundreds of programs on a busy machine: there it may try a second time, and is named. */
export const retries = {
  retry: process.env.CI === undefined ? 0 : 1,
  reporters: ["default", join(import.meta.dirname, "src/flaky-reporter.ts")],
};
