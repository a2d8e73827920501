import { join } from "node:path";

import { evaluate, policy } from "@envs/core";
import { expect, test } from "vitest";

import picture, { pixel } from "../../../../cli/test/fixtures/picture.ts";
import { type ExportFormatName, exportFormats } from "../../../src/commands/export/formats.ts";
import { loadTrainingSource } from "../../../src/commands/export/training-source.ts";

const url = `data:image/png;base64,${pixel.toString("base64")}`;

async function exportPicture(name: ExportFormatName, taskset?: string) {
  const format = exportFormats[name];
  const path = join(import.meta.dirname, "../../../../cli/test/fixtures/picture.ts");
  const options = { config: {}, url: "http://127.0.0.1:8000", seed: 0, model: "Qwen/Qwen2.5-VL" };
  if (format.input === "run") {
    const { rollouts } = await evaluate(picture(), { model: policy("red"), rolloutsPerExample: 1 });
    const source = { rollouts, clauses: [], tools: undefined, model: "policy:red" };
    return format.create(source, { isBare: true });
  }
  return format.create(await loadTrainingSource(path, options), { taskset });
}

test.each([
  ["trl", undefined, "TRL reads only text"],
  ["skyrl", undefined, "SkyRL reads only text"],
  ["prime-rl", "openenv", "the taskset openenv of prime-rl reads only text"],
  ["harbor", undefined, "it sends more than text"],
  ["samples", undefined, "token ids alone do not carry"],
] as const)("export %s rejects an environment with images", async (name, taskset, message) => {
  await expect(async () => exportPicture(name, taskset)).rejects.toThrow(message);
});

test("prime-rl plays an environment with images through the taskset nemo-gym", async () => {
  const { files } = await exportPicture("prime-rl");
  expect(files[0]!.text).toContain('env.taskset.id = "nemo-gym"');
});

test.each(["nemo", "verl", "sft"] as const)("export %s carries images as bytes", async (name) => {
  const { files } = await exportPicture(name);
  expect(files.some(({ text }) => String(text).includes(url))).toBe(true);
});
