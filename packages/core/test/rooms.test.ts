import { join } from "node:path";

import { readRooms } from "@envs/tooling/rooms";
import { expect, test } from "vitest";

/** From the lowest to the highest: each imports only those before it. */
const order = [
  "errors.ts",
  "json.ts",
  "random.ts",
  "abort.ts",
  "hook-errors.ts",
  "hook-scope.ts",
  "deadline.ts",
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

test("the source is a house of ten rooms", () => {
  const { upward } = readRooms(join(import.meta.dirname, "../src"), order);
  expect(upward).toEqual([]);
});
