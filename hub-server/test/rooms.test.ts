import { join } from "node:path";

import { readRooms } from "@envs/tooling/rooms";
import { expect, test } from "vitest";

/** From the lowest to the highest: each imports only those before it. AGENTS.md describes them in the same order. */
const order = [
  "platform",
  "identity",
  "access",
  "packages",
  "upstream",
  "registry",
  "search",
  "events",
  "evaluations",
  "rescoring",
  "runner",
  "moderation",
  "api",
  "pages",
  "operations",
  "app.ts",
  "start.ts",
  "commands",
  "bin.ts",
  "index.ts",
];

test("no import runs up, and no files import each other in a circle", () => {
  const { upward, circles } = readRooms(join(import.meta.dirname, "../src"), order);
  expect({ upward, circles }).toEqual({ upward: [], circles: [] });
});
