import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests of machines for agents. They need Linux, root and a container engine, which src/machines.ts starts. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["packages/*/test/**/*.machines.test.ts"],
    exclude,
    // Each test starts processes.
    maxWorkers: 2,
  },
});
