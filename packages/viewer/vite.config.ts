import { join } from "node:path";

import { defineConfig } from "vite";

const root = import.meta.dirname;

/** One script and one stylesheet, because a report contains both. */
export default defineConfig({
  root,
  base: "./",
  logLevel: "warn",
  resolve: { conditions: ["@envs/source", "module", "browser", "production"] },
  build: {
    outDir: "dist/assets",
    modulePreload: false,
    target: "es2022",
    sourcemap: false,
    cssCodeSplit: false,
    rolldownOptions: {
      // Ignores the directives for React servers in virtua's files.
      onwarn: (warning, warn) => warning.code === "MODULE_LEVEL_DIRECTIVE" || warn(warning),
      input: { viewer: join(root, "src/app/main.tsx") },
      output: {
        codeSplitting: false,
        entryFileNames: "viewer.js",
        assetFileNames: "viewer[extname]",
      },
    },
  },
});
