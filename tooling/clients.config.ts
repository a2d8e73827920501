import { defineConfig } from "vitest/config";

const conditions = ["@envs/source"];

/** The tests with trainers' own clients, one file after the other: Python starts slowly, and two of it more slowly. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.clients.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
