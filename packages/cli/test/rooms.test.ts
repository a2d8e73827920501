import { join } from "node:path";

import { readRooms } from "@envs/tooling/rooms";
import { expect, test } from "vitest";

/** From the lowest to the highest: each imports only those before it. */
const order = [
  "version.ts",
  "terminal",
  "run-envs.ts",
  "import-module.ts",
  "config-file.ts",
  "init",
  "packages",
  "help",
  "text",
  "files",
  "runs",
  "conversation",
  "environments",
  "optimization",
  "models",
  "evaluation",
  "reward-diff",
  "rescore",
  "compare",
  "calibration",
  "play",
  "viewer",
  "info",
  "error-reference.ts",
  "commands",
  "completion",
  "kit",
  "main.ts",
  "bin.ts",
  "index.ts",
];

test("no import runs up, and no files import each other in a circle", () => {
  const { upward, circles } = readRooms(join(import.meta.dirname, "../src"), order);
  expect({ upward, circles }).toEqual({ upward: [], circles: [] });
});
