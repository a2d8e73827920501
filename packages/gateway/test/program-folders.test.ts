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

test("a seat has the same folder again, also when its last process ended before it was removed", async () => {
  const session = `again ${process.pid}`;
  const program = `
    const { makeFolders } = await import("${import.meta.resolve("../src/agent/program-folders.ts")}");
    const { writeFileSync } = await import("node:fs");
    const controller = new AbortController();
    const { workspace } = await makeFolders("${session}", controller.signal);
    for (let file = 0; file < 100; file += 1) writeFileSync(workspace + "/" + file, "");
    controller.abort();
    process.stdout.write(workspace, () => process.exit());
  `;
  const options = ["--conditions=@envs/source", "--input-type=module", "-e", program];
  const workspace = execFileSync(process.execPath, options).toString();
  for (let time = 0; time < 3; time += 1) {
    const controller = new AbortController();
    expect((await makeFolders(session, controller.signal)).workspace).toBe(workspace);
    controller.abort();
  }
  await expect.poll(() => existsSync(dirname(workspace))).toBe(false);
});
