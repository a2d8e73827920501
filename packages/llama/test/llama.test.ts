import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { llama } from "@envs/llama";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { cutAt } from "../src/generate.ts";

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "envs-llama-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("a file that does not exist is a ConfigError that names it", async () => {
  await expect(llama("nowhere/model.gguf")).rejects.toMatchObject({
    name: "ConfigError",
    message: "nowhere/model.gguf does not exist. Give the path of a GGUF file.",
  });
});

test("a folder is not a model", async () => {
  await using place = await folder();
  await expect(llama(place.path)).rejects.toThrow("is a folder");
});

test.for(["", "GGU", "PK\u0003\u0004 a zip file"])(
  "a file that begins with %j is not a model",
  async (start) => {
    await using place = await folder();
    const path = join(place.path, "model.gguf");
    await writeFile(path, start);
    await expect(llama(path)).rejects.toThrow("is not a GGUF file. Download the model");
  },
);

test("a text is cut at the first of its stop texts", () => {
  expect(cutAt("one two three", ["three", "two"])).toBe("one ");
  expect(cutAt("one two three", ["four"])).toBe("one two three");
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string({ minLength: 1 })), (text, stop) => {
      const cut = cutAt(text, stop);
      expect(text.startsWith(cut)).toBe(true);
      expect(stop.some((each) => cut.includes(each))).toBe(false);
    }),
  );
});
