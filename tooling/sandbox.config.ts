import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests of code in bubblewrap. They need Linux with bubblewrap and user namespaces. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["{packages,environments,examples,e2e}/**/test/**/*.sandbox.test.ts"],
    exclude,
    // Each test starts processes.
    maxWorkers: 2,
  },
});
