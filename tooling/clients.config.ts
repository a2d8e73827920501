import { defineConfig } from "vitest/config";

import { retries } from "./retries.ts";

const conditions = ["@envs/source"];

/** The tests with trainers' own clients, two files at a time: most of what they do is to start Python. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...retries,
    include: ["packages/*/test/**/*.clients.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 400_000,
  },
});
