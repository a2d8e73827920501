import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { readMetrics, readRecord } from "@envs/trainer/node";
import { expect, test } from "vitest";

import { envs, envsHere, temporaryFolder } from "../../../../cli/test/command.ts";
import { lettersPackage } from "../../../../cli/test/evaluation/letters.ts";
import { writeSmallLlama } from "./small-llama.ts";

const optimizer = { learningRate: 0.02 };
const recipe = {
  seed: 7,
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "right", examples: 4 },
      epochs: 6,
      batchSize: 4,
      optimizer,
    },
    rl: {
      kind: "rl",
      steps: 4,
      sources: [{ groups: 2 }],
      rolloutsPerExample: 3,
      maxTokens: 3,
      checkpointEvery: 1,
      dropZeroVariance: false,
      advantage: { credit: "turn" },
      loss: { name: "clip", klCoefficient: 0.1, entropyCoefficient: 0.01 },
      optimizer,
    },
  },
  stages: [{ name: "all", examples: 4, maxTokens: 3 }],
};

/** A score that ends the process like a power failure, at the call that a variable names. */
const grade = `
let calls = 0;
export const grade = (reply, { prompt }) => {
  if (++calls === Number(process.env.LETTERS_KILL_AT)) process.kill(process.pid, "SIGKILL");
  return Number(reply === prompt);
};
`;

interface Setup {
  readonly environment: string;
  readonly folder: string;
  readonly model: string;
  readonly args: readonly string[];
}

async function setUp(changes: Readonly<Record<string, unknown>> = {}): Promise<Setup> {
  const environment = await lettersPackage({ files: { "dist/grade.js": grade } });
  const folder = await temporaryFolder();
  const model = await writeSmallLlama(join(folder, "model"), changes);
  const config = join(folder, "recipe.mjs");
  await writeFile(config, `export default ${JSON.stringify(recipe)};\n`);
  const options = [
    "--config",
    config,
    "--save",
    folder,
    "--model",
    model,
    "--context-length",
    "32",
  ];
  const size = ["--lora-rank", "8", "--lora-alpha", "16"];
  return { environment, folder, model, args: ["train", environment, ...options, ...size] };
}

const fileOf = (run: string, name: string): Promise<Buffer> => readFile(join(run, name));

const runOf = (stdout: string): string => (JSON.parse(stdout) as { readonly run: string }).run;

test("envs train --model trains an adapter, and continues it to the bit after kill -9", async () => {
  const { environment, folder, model, args } = await setUp();
  const whole = await envsHere([...args, "--json"]);
  expect(whole.code, whole.stderr).toBe(0);
  const run = runOf(whole.stdout);
  const rows = await readMetrics(join(run, "metrics.jsonl"));
  const losses = rows.flatMap(({ kind, values }) => (kind === "sft" ? [values["loss"]!] : []));
  expect(losses.at(-1)!).toBeLessThan(losses[0]! / 2);
  expect(rows.at(-1)!.values["kl"]).toBeGreaterThan(0);
  expect(JSON.parse(String(await fileOf(run, "adapter/adapter_config.json")))).toMatchObject({
    peft_type: "LORA",
    r: 8,
    lora_alpha: 16,
    base_model_name_or_path: model,
  });
  expect(String(await fileOf(run, "report.md"))).toContain(`${model} (LoRA, rank 8)`);

  // The evaluations and the data of the supervised phase call the score twelve times, each step six times.
  const killed = await envs([...args, "--save", join(folder, "killed")], "", {
    LETTERS_KILL_AT: "27",
  });
  const [, path = ""] = /saving to (\S+)/u.exec(killed.stderr) ?? [];
  expect((await readRecord(path)).is_complete).toBe(false);
  expect(await readMetrics(join(path, "metrics.jsonl"))).toHaveLength(rows.length - 2);
  const other = await envsHere(["train", "--resume", path, "--lora-alpha", "8"]);
  expect(other.stderr).toContain("--lora-alpha is 8, but the run has 16");
  const resumed = await envsHere(["train", environment, "--resume", path]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stdout).toContain(`-m lora:${path}`);
  for (const file of ["checkpoints/rl-end.safetensors", "adapter/adapter_model.safetensors"])
    expect((await fileOf(path, file)).equals(await fileOf(run, file)), file).toBe(true);

  // The adapter plays the same under each of its names.
  const play = async (name: string) => {
    const options = ["-n", "4", "--max-tokens", "3", "--seed", "3", "--json", "--save", folder];
    const { stdout, stderr } = await envsHere(["eval", environment, "-m", name, ...options]);
    expect(stderr).toBe("");
    const { run: played } = JSON.parse(stdout) as { readonly run: string };
    return (await fileOf(played, "results.jsonl"))
      .toString()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { completion: unknown }).completion);
  };
  const adapter = join(run, "adapter");
  const replies = await play(`lora:${run}`);
  expect(await play(`lora:${adapter}`)).toEqual(replies);
  expect(await play(`lora:${model}+${adapter}`)).toEqual(replies);
  expect(await play(`lora:${model}`)).not.toEqual(replies);

  const further = await envsHere([...args, "--phases", "rl", "--from", adapter, "--json"]);
  expect(further.code, further.stderr).toBe(0);
  const named = ["--name", "@you/letters-lora", "--base-model", "you/letters"];
  const packaged = await envsHere(["train", "adapter", run, ...named]);
  expect(packaged.code, packaged.stderr).toBe(0);
  expect(String(await fileOf(adapter, "README.md"))).toContain("## How it was trained");
  expect(JSON.parse(String(await fileOf(adapter, "adapter_config.json")))).toMatchObject({
    base_model_name_or_path: "you/letters",
  });
});

test("envs train --model names what is wrong with a model or an adapter", async () => {
  const { environment, folder, model, args } = await setUp();
  const [stopped, foreign] = [join(folder, "stopped"), join(folder, "foreign")];
  const trained = await envsHere([...args, "--phases", "sft", "--save", stopped, "--json"]);
  const run = runOf(trained.stdout);
  const adapter = join(run, "adapter");
  const copy = async (name: string): Promise<string> => {
    await cp(model, join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const weights = join(await copy("other"), "model.safetensors");
  const bytes = await readFile(weights);
  // The sign of the first number of the embedding.
  bytes[8 + Number(bytes.readBigUInt64LE(0)) + 3]! ^= 0x80;
  await writeFile(weights, bytes);
  await writeSmallLlama(join(folder, "gpt"), {});
  await writeFile(join(folder, "gpt/config.json"), JSON.stringify({ model_type: "gpt2" }));
  await rm(join(await copy("half"), "model.safetensors"));
  await rm(join(await copy("mute"), "tokenizer.json"));
  await mkdir(foreign);
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--model", join(folder, "absent")], "neither a folder, a GGUF file nor an installed package"],
    [["--model", foreign], "is not a model"],
    [["--model", adapter], "is an adapter"],
    [["--model", join(folder, "gpt")], "Supported: Llama and Qwen2"],
    [["--model", join(folder, "half")], "has no model.safetensors"],
    [["--model", join(folder, "mute")], "Cannot read tokenizer.json"],
    [["--model", join(folder, "other"), "--from", run], "belongs to another base model"],
    [["--from", foreign], "has no adapter"],
    [["--from", adapter, "--lora-rank", "16"], "Pass --lora-rank 8"],
    [["--lora-rank", "12"], "multiple of 8"],
    [["--lora-targets", "q_proj,lm_head"], "lora"],
    [["--context-length", "65"], "an integer from 1 to the model's 64"],
    [["--threads", "2"], "--threads is for the tiny model"],
    [["--base-url", "http://localhost:1"], "--base-url is for a large model on a service"],
  ];
  for (const [options, message] of cases) {
    const { code, stderr } = await envsHere([...args, ...options]);
    expect(stderr).toContain(message);
    expect(code, stderr).toBe(2);
  }
  const served = await envsHere(["eval", environment, "-m", `lora:${foreign}`]);
  expect(served.stderr).toContain("is not a model");
});
