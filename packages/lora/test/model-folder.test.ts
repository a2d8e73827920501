import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { writeSafetensors } from "@envs/tiny-model/engine";
import { afterEach, beforeEach, expect, test } from "vitest";

import { LoraModel } from "../src/lora-model.ts";
import { readModelFolder } from "../src/node/safetensors-folder.ts";
import { rank, smallFiles, smallModel } from "./small-model.ts";

const run = promisify(execFile);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-lora-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function save(names: (name: string) => boolean = () => true): Promise<void> {
  const { config, tensors } = smallFiles();
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  const kept = Object.entries(tensors).filter(([name]) => names(name));
  await writeFile(join(folder, "model.safetensors"), writeSafetensors(Object.fromEntries(kept)));
}

const sequence = {
  inputs: Int32Array.of(1, 5, 9),
  targets: Int32Array.of(5, 9, 2),
  weights: Float32Array.of(1, 1, 1),
};

test("a model in transformers' folder is the model in memory", async () => {
  await save();
  const loaded = LoraModel.load(await readModelFolder(folder));
  const { model } = smallModel();
  model.adapter.values.fill(0);
  expect(loaded.forward([sequence])).toEqual(model.forward([sequence]));
});

test("a folder without a model, or with half of one, is rejected with what is missing", async () => {
  await expect(readModelFolder(folder)).rejects.toThrow("no config.json");
  await save((name) => !name.includes("layers.1.mlp.up_proj"));
  const files = await readModelFolder(folder);
  expect(() => LoraModel.load(files)).toThrow("no tensor model.layers.1.mlp.up_proj.weight");
});

test("the program of the README lowers the loss, and writes an adapter", async () => {
  await save();
  const program = join(import.meta.dirname, "raise-a-reply.ts");
  const { stdout } = await run(process.execPath, ["--conditions=@envs/source", program, folder]);
  const losses = [...stdout.matchAll(/loss ([\d.]+)/gu)].map(([, loss]) => Number(loss));
  expect(losses).toHaveLength(5);
  expect(losses.at(-1)!).toBeLessThan(losses[0]!);
  const config: unknown = JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8"));
  expect(config).toMatchObject({ peft_type: "LORA", r: 2 * rank });
});
