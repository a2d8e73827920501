import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { virtualEnvironment } from "../src/virtual-environment.ts";

async function requirementsFolder() {
  const path = await mkdtemp(join(tmpdir(), "envs-venv-"));
  const requirements = join(path, "some.txt");
  await writeFile(requirements, "some==1\n");
  const folder = join(path, "venv");
  return {
    options: { requirements, folder, python: join(path, "no-python") },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

test("does not create an environment of the same requirements again", async () => {
  await using place = await requirementsFolder();
  const { folder } = place.options;
  await mkdir(folder);
  const hash = createHash("sha256").update("some==1\n").digest("hex");
  await writeFile(join(folder, "made-of"), hash);
  expect(virtualEnvironment(place.options)).toBe(join(folder, "bin/python"));
});

test("names the Debian package if Python is missing", async () => {
  await using place = await requirementsFolder();
  expect(() => virtualEnvironment(place.options)).toThrow(/apt-get install python3-venv/u);
});
