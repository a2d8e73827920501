import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests with hosts as network namespaces. They need Linux, root, iproute2 and libfaketime. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["e2e/test/**/*.hosts.test.ts"],
    exclude,
    globalSetup: [join(import.meta.dirname, "../hub-server/test/support/services.ts")],
  },
});
