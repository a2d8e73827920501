import { defineConfig } from "vitest/config";

import { exclude, resolveSource, retries } from "./src/test-options.ts";

/** Tests with a real language model. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...retries,
    include: ["{packages,environments,e2e}/**/*.real.test.ts"],
    exclude,
    // Each test uses all cores.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
