import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { userMessage } from "@envs/core";
import { readGgufTokenizer } from "@envs/lora/node";
import { expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../../cli/test/command.ts";
import { lettersPackage } from "../../../../cli/test/evaluation/letters.ts";
import { templateRenderer } from "../../../src/renderer/template-renderer.ts";

const gguf = process.env["ENVS_MODEL"]!;

test("a GGUF file brings the tokenizer and the chat template of its model", async () => {
  const { prompt, text, stopIds } = templateRenderer(await readGgufTokenizer(gguf));
  const ids = prompt([userMessage("What is the capital of France ?")]);
  // As transformers encodes it, after the template's default system message.
  expect(ids.slice(-16)).toEqual([
    1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 9148, 2, 198, 1, 520, 9531, 198,
  ]);
  expect(text([504, 3575, 282, 4649, 314, 7042, 30, 2])).toBe("The capital of France is Paris.");
  expect(stopIds).toEqual([2]);
});

test("a real model learns by envs train --model", async () => {
  const environment = await lettersPackage();
  const save = await temporaryFolder();
  const optimizer = { learningRate: 1e-3, epsilon: 1e-12 };
  const schedule = { warmup: 0, shape: "constant" };
  const data = { policy: "right", examples: 4 };
  const plan = {
    seed: 1,
    phases: {
      sft: { kind: "sft", data, epochs: 2, batchSize: 4, optimizer, schedule },
      rl: {
        kind: "rl",
        steps: 2,
        sources: [{ groups: 2 }],
        rolloutsPerExample: 4,
        maxTokens: 4,
        minibatches: 1,
        optimizer,
        schedule,
      },
    },
    stages: [{ name: "letters", examples: 4, rolloutsPerExample: 4, maxTokens: 4 }],
  };
  const config = join(save, "recipe.mjs");
  await writeFile(config, `export default ${JSON.stringify(plan)};\n`);
  const options = ["--config", config, "--save", save, "--context-length", "64", "--json"];
  const { stdout, stderr } = await envsHere(["train", environment, "--model", gguf, ...options]);
  expect(stderr).toBe("");
  const { run } = JSON.parse(stdout) as { readonly run: string };
  const stages = JSON.parse(await readFile(join(run, "stages.json"), "utf8")) as readonly {
    readonly cells: readonly { readonly counts: { readonly right: number } }[];
  }[];
  const right = stages.map(({ cells }) => cells[0]!.counts.right);
  expect(right[0]).toBeLessThan(8);
  expect(right.at(-1)).toBeGreaterThan(right[0]! + 4);
});
