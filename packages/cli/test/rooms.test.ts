import { join } from "node:path";

import { readRooms } from "@envs/tooling/rooms";
import { expect, test } from "vitest";

/** From the lowest to the highest: each imports only those before it. */
const order = [
  "version.ts",
  "run-envs.ts",
  "import-module.ts",
  "config-file.ts",
  "text",
  "files",
  "selection",
  "init",
  "packages",
  "runs",
  "conversation",
  "environments",
  "optimization",
  "bundle",
  "reward-diff",
  "manifest",
  "models",
  "push",
  "evaluation",
  "rescore",
  "compare",
  "reproduction",
  "calibration",
  "suite",
  "play",
  "viewer",
  "info",
  "kit",
  "error-reference.ts",
  "commands",
  "help",
  "completion",
  "main.ts",
  "bin.ts",
  "index.ts",
];

test("no import runs up, and no files import each other in a circle", () => {
  const { upward, circles } = readRooms(join(import.meta.dirname, "../src"), order);
  expect({ upward, circles }).toEqual({ upward: [], circles: [] });
});
