import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { onTestFinished, expect, test } from "vitest";

import { readRooms } from "./support/rooms.ts";

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rooms-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test("counts rooms and floors, also of imports of types and in expressions", async () => {
  const folder = await folderOf({
    "errors.ts": "",
    "dataset/rows.ts": 'import type { Fault } from "../errors.ts";',
    "tool/tool.ts": 'import { fail } from "../errors.ts";\nimport * as z from "zod";',
    "episode/play.ts": 'export { rows } from "../dataset/rows.ts";',
    "index.ts": 'export const play = () => import("./episode/play.ts");',
  });
  expect(readRooms(folder, ["errors.ts", "dataset", "tool", "episode", "index.ts"])).toEqual({
    folders: ["dataset", "tool", "episode"],
    looseFiles: ["errors.ts", "index.ts"],
    floors: 4,
    upward: [],
    circles: [],
  });
});

test("finds imports of higher rooms and circles within a room", async () => {
  const folder = await folderOf({
    "tool/tool.ts": 'import "./call.ts";\nimport { episode } from "../episode/episode.ts";',
    "tool/call.ts": 'import type { Tool } from "./tool.ts";',
    "episode/episode.ts": "",
  });
  expect(readRooms(folder, ["tool", "episode"])).toMatchObject({
    upward: [{ from: "tool/tool.ts", to: "episode/episode.ts" }],
    circles: [["tool/call.ts", "tool/tool.ts"]],
  });
});

test("rejects an order that is not that of the folder", async () => {
  const folder = await folderOf({ "tool/tool.ts": "" });
  expect(() => readRooms(folder, [])).toThrow("lacks tool");
  expect(() => readRooms(folder, ["tool", "seat"])).toThrow("names seat");
});
