import { defineConfig } from "vitest/config";

const conditions = ["@envs/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      "{packages,environments,examples,e2e,bench,tooling,hub-server}/**/test/**/*.test.ts",
      "e2e/*.test.ts",
    ],
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      "packages/cli/templates/**",
      "**/*.{real,clients}.test.ts",
    ],
    // PostgreSQL and an object store, for the tests that ask for them.
    globalSetup: ["hub-server/test/support/services.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: {
      enabled: true,
      include: ["**/test/**/*.test-d.ts"],
      tsconfig: "tsconfig.test.json",
    },
  },
});
