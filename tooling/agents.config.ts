import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests with agent programs from npm. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["{packages,e2e}/**/test/**/*.agents.test.ts"],
    exclude,
  },
});
