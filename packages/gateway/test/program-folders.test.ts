import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

import { makeFolders } from "../src/agent/program-folders.ts";

test("one of several programs takes over the folder of a process that was killed", async () => {
  const session = `take over ${process.pid}`;
  const kept = new AbortController();
  const { workspace } = await makeFolders(session, kept.signal);
  await writeFile(join(workspace, "left"), "");
  const folder = dirname(workspace);
  const ended = execFileSync(process.execPath, ["-p", "process.pid"]).toString().trim();
  const owner = (pid: number | string): string => join(folder, `owner-${pid}-${hostname()}`);
  await rename(owner(process.pid), owner(ended));

  const controllers = Array.from({ length: 16 }, () => new AbortController());
  const all = await Promise.all(controllers.map(({ signal }) => makeFolders(session, signal)));

  expect(new Set(all.map((folders) => folders.workspace)).size).toBe(16);
  expect(all.map((folders) => folders.workspace)).toContain(workspace);
  expect(existsSync(join(workspace, "left"))).toBe(false);
  for (const controller of [...controllers, kept]) controller.abort();
  await expect.poll(() => all.filter(({ home }) => existsSync(dirname(home)))).toEqual([]);
});
