import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test, vi } from "vitest";

import { removeAbandoned } from "../src/folder.ts";

test("removes only the folders of ended processes", async () => {
  const own = mkdtempSync(join(tmpdir(), "envs-abandoned-"));
  onTestFinished(() => rmSync(own, { recursive: true }));
  vi.stubEnv("TMPDIR", own);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pid: dead } = spawnSync("true");
  const folders = [`envs-files-${dead}-a`, `envs-files-${process.pid}-b`, "other"];
  for (const name of folders) {
    mkdirSync(join(own, name));
    writeFileSync(join(own, name, "a.txt"), "plum");
  }
  await removeAbandoned();
  expect(folders.map((name) => existsSync(join(own, name)))).toEqual([false, true, true]);
});
