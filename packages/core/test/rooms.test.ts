import { join } from "node:path";

import { readRooms } from "@envs/tooling/rooms";
import { expect, test } from "vitest";

/** From the lowest to the highest: each imports only those before it. */
const order = [
  "errors.ts",
  "json.ts",
  "random.ts",
  "abort.ts",
  "hook-scope.ts",
  "error-reference.ts",
  "message",
  "parsers",
  "model",
  "dataset",
  "rubric",
  "definition",
  "episode",
  "rollout",
  "run",
  "testing",
  "engine.ts",
  "index.ts",
];

test("the source has at most ten rooms, eight loose files and ten floors", () => {
  const rooms = readRooms(join(import.meta.dirname, "../src"), order);
  expect(rooms.folders.length).toBeLessThanOrEqual(10);
  expect(rooms.looseFiles.length).toBeLessThanOrEqual(8);
  expect(rooms.floors).toBeLessThanOrEqual(10);
});

test("no import leads to a higher room or in a circle", () => {
  const { upward, circles } = readRooms(join(import.meta.dirname, "../src"), order);
  expect(upward).toEqual([]);
  expect(circles).toEqual([]);
});

test("authors import at most thirty values", async () => {
  const values = Object.keys(await import("@envs/core"));
  expect(values.length).toBeLessThanOrEqual(30);
});
