import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Budgets of the hub's pages: bytes, requests, and the first render on a slow processor. They measure time, so they run alone. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["hub-server/test/**/*.budgets.test.ts"],
    exclude,
    globalSetup: [join(import.meta.dirname, "../hub-server/test/support/services.ts")],
    maxWorkers: 1,
  },
});
