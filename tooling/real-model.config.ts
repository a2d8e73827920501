import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests with a real language model. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["{packages,environments,e2e}/**/*.real.test.ts"],
    exclude,
    // Each test uses all cores.
    fileParallelism: false,
  },
});
