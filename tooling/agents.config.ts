import { defineConfig } from "vitest/config";

import { exclude, resolveSource, retries } from "./src/test-options.ts";

/** Tests with agent programs from npm. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...retries,
    include: ["{packages,e2e}/**/test/**/*.agents.test.ts"],
    exclude,
    testTimeout: 180_000,
  },
});
