import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { llama } from "@envs/llama";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { truncateAtStop } from "../src/generate.ts";

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "envs-llama-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("rejects a file that does not exist with its name", async () => {
  await expect(llama("nowhere/model.gguf")).rejects.toMatchObject({
    name: "ConfigError",
    message: "nowhere/model.gguf does not exist. Pass the path of a GGUF file.",
  });
});

test("rejects a folder", async () => {
  await using directory = await folder();
  await expect(llama(directory.path)).rejects.toThrow("is a folder");
});

test.for(["", "GGU", "PK\u0003\u0004 a zip file"])(
  "rejects a file that begins with %j",
  async (start) => {
    await using directory = await folder();
    const path = join(directory.path, "model.gguf");
    await writeFile(path, start);
    await expect(llama(path)).rejects.toThrow("is not a GGUF file. Download the model");
  },
);

test("rejects an adapter that is not a GGUF file with the name of its converter", async () => {
  await using directory = await folder();
  const [path, adapter] = ["model", "adapter"].map((name) => join(directory.path, name)) as [
    string,
    string,
  ];
  await writeFile(path, "GGUF");
  await expect(llama(path, { adapter })).rejects.toThrow(`${adapter} does not exist`);
  await writeFile(adapter, "{}");
  await expect(llama(path, { adapter })).rejects.toThrow("llama.cpp's convert_lora_to_gguf.py");
});

test("truncateAtStop() ends a text before the first stop text", () => {
  expect(truncateAtStop("one two three", ["three", "two"])).toBe("one ");
  expect(truncateAtStop("one two three", ["four"])).toBe("one two three");
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string({ minLength: 1 })), (text, stop) => {
      const truncated = truncateAtStop(text, stop);
      expect(text.startsWith(truncated)).toBe(true);
      expect(stop.some((stopText) => truncated.includes(stopText))).toBe(false);
    }),
  );
});
