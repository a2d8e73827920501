import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests with trainers' own Python clients, and with Math-Verify. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["{packages,environments}/*/test/**/*.clients.test.ts"],
    exclude,
    // The tests mostly wait for Python to start.
    maxWorkers: 2,
  },
});
