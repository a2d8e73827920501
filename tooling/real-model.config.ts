import { defineConfig } from "vitest/config";

import { retries } from "./retries.ts";

const conditions = ["@envs/source"];

/** The tests that play with a real language model, one file after the other: each wants all processors. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...retries,
    include: ["{packages,environments,e2e}/**/*.real.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
