import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { exclude, resolveSource, retries } from "./src/test-options.ts";

/** Tests with hosts as network namespaces. They need Linux, root, iproute2 and libfaketime. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...retries,
    include: ["e2e/test/**/*.hosts.test.ts"],
    exclude,
    globalSetup: [join(import.meta.dirname, "../hub-server/test/support/services.ts")],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
