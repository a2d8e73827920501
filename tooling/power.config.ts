import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { exclude, resolveSource, patience } from "./src/test-options.ts";

/** Tests on separate disks, which lose power or are full. They need root and a Linux with ext4. */
export default defineConfig({
  ...resolveSource,
  test: {
    ...patience,
    include: ["{e2e,hub-server}/test/**/*.power.test.ts"],
    exclude,
    globalSetup: [join(import.meta.dirname, "../hub-server/test/support/services.ts")],
    maxWorkers: 1,
  },
});
