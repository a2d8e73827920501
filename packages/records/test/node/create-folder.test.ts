import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createFolder, WriteError } from "@envs/records/node";
import { expect, onTestFinished, test } from "vitest";

async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-folder-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test("creates a folder and its parents, also several times at once", async () => {
  const path = join(await temporaryFolder(), "a/b/c");
  await Promise.all(Array.from({ length: 5 }, () => createFolder(path)));
  await createFolder(path);
  expect((await stat(path)).isDirectory()).toBe(true);
});

test("names the folder and the reason if a file has its name or the name of a parent", async () => {
  const file = join(await temporaryFolder(), "file");
  await writeFile(file, "");
  await expect(createFolder(file)).rejects.toThrow(
    `Cannot create the folder ${file}: a file has this name (EEXIST). Choose a folder`,
  );
  await expect(createFolder(join(file, "a/b"))).rejects.toThrow("a part of the path is a file");
  await expect(createFolder(join(file, "a/b"))).rejects.toBeInstanceOf(WriteError);
});

// Node's recursive mkdir does not end there. Only Linux has such a file system everywhere.
test.runIf(process.platform === "linux")("ends where no folder can be created", async () => {
  await expect(createFolder("/proc/envs/runs")).rejects.toThrow("Cannot create the folder");
});
