import { readdirSync, readFileSync } from "node:fs";
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

const source = join(import.meta.dirname, "../src");
const linesOf = (files: readonly string[]): number =>
  files.reduce(
    (sum, file) => sum + readFileSync(join(source, file), "utf8").split("\n").length - 1,
    0,
  );

test("the source has at most ten rooms, eight loose files and ten floors", () => {
  const rooms = readRooms(source, order);
  expect(rooms.folders.length).toBeLessThanOrEqual(10);
  expect(rooms.looseFiles.length).toBeLessThanOrEqual(8);
  expect(rooms.floors).toBeLessThanOrEqual(10);
});

test("no import leads to a higher room or in a circle", () => {
  const { upward, circles } = readRooms(source, order);
  expect(upward).toEqual([]);
  expect(circles).toEqual([]);
});

test("authors import at most thirty values", async () => {
  const values = Object.keys(await import("@envs/core"));
  expect(values.length).toBeLessThanOrEqual(30);
});

test("a reader gets from a definition to an evaluation in 600 lines, and through core in 9,000", () => {
  const path = [
    "definition/environment.ts",
    "episode/episode.ts",
    "rollout/rollout.ts",
    "run/evaluate.ts",
  ];
  expect(linesOf(path)).toBeLessThanOrEqual(600);
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  expect(linesOf(files.filter((file) => file.endsWith(".ts")))).toBeLessThanOrEqual(9000);
});
