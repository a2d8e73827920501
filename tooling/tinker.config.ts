import { defineConfig } from "vitest/config";

import { exclude, resolveSource } from "./src/test-options.ts";

/** Tests of the trainer against the official SkyRL server. Run by `src/tinker.ts`, which installs it. */
export default defineConfig({
  ...resolveSource,
  test: {
    include: ["packages/trainer/test/**/*.tinker.test.ts"],
    exclude,
    // The first step of each kind compiles for half a minute; a server takes a few minutes to start.
  },
});
