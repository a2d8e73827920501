import { join } from "node:path";

import { readRooms } from "@envs/tooling/rooms";
import { expect, test } from "vitest";

/** From the lowest to the highest: each imports only those before it. */
const order = [
  "bundle",
  "suite",
  "manifest",
  "config",
  "connection",
  "managers",
  "packages",
  "runs",
  "push",
  "install",
  "doctor",
  "publish",
  "commands",
  "play",
  "queries.ts",
  "commands.ts",
];

test("no import runs up, and no files import each other in a circle", () => {
  const { upward, circles } = readRooms(join(import.meta.dirname, "../src"), order);
  expect({ upward, circles }).toEqual({ upward: [], circles: [] });
});
