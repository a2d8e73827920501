import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { readMetrics, readRecord, readState } from "@envs/trainer/node";
import { expect, onTestFinished, test } from "vitest";

import type { TinkerServerOptions } from "../../../trainer/test/tinker/tinker-server.ts";
import { envs, temporaryFolder } from "../command.ts";
import { lettersPackage } from "../evaluation/letters.ts";
import { lettersService, writeTokenizer } from "./letters-service.ts";

const optimizer = { learningRate: 0.02 };
const rl = {
  kind: "rl",
  steps: 2,
  sources: [{ groups: 2 }],
  rolloutsPerExample: 3,
  maxTokens: 3,
  checkpointEvery: 1,
  dropZeroVariance: false,
  optimizer,
};
const recipe = {
  seed: 7,
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "right", examples: 4 },
      epochs: 4,
      batchSize: 4,
      optimizer,
    },
    rl,
  },
  stages: [{ name: "all", examples: 4, maxTokens: 3 }],
};

/** An environment, a recipe, a tokenizer and a service. */
async function setUp(plan: object = recipe, options: TinkerServerOptions = {}) {
  const environment = await lettersPackage();
  const save = await temporaryFolder();
  const config = join(save, "recipe.mjs");
  await writeFile(config, `export default ${JSON.stringify(plan)};\n`);
  const tokenizer = await writeTokenizer(join(save, "tokenizer"));
  const server = await lettersService(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const service = ["--backend", "tinker", "--base-url", server.url, "--base-model", "tiny"];
  const args = ["train", environment, "--config", config, "--save", save];
  return {
    server,
    environment,
    args: [...args, ...service, "--tokenizer", tokenizer],
  };
}

test("envs train --backend tinker trains on a service, counts tokens and shows the cost", async () => {
  const run = await setUp();
  const { stdout, stderr, code } = await envs([...run.args, "--price", "1,2,3"]);
  expect(stderr).toContain(" tokens · cost 0.00");
  expect(code).toBe(0);
  const [, path = ""] = /saving to (\S+)/u.exec(stderr) ?? [];
  expect(stdout).toContain(`-m tinker:${path}`);
  const evaluated = await envs([
    "eval",
    run.environment,
    "-m",
    `tinker:${path}`,
    "-n",
    "2",
    "--json",
  ]);
  expect(JSON.parse(evaluated.stdout)).toMatchObject({ counts: { scored: 6 } });
  const record = await readRecord(path);
  expect(record.plan.model).toMatchObject({ baseModel: "tiny", loraRank: 32 });
  expect(record.service?.base_url).toBe(run.server.url);
  const rows = await readMetrics(join(path, "metrics.jsonl"));
  const last = rows.at(-1)!.values;
  expect(last["tokens/sampled"]).toBeGreaterThan(0);
  const { tokens } = (await readState(path))!;
  const { prompt, sampled, trained } = tokens!;
  // The evaluation after the last step is part of the total only.
  expect(last["cost"]).toBeGreaterThan(0);
  expect(last["cost"]).toBeLessThan((prompt + 2 * sampled + 3 * trained) / 1e6);
  const report = await readFile(join(path, "report.md"), "utf8");
  expect(report).toContain(`${sampled.toLocaleString("en")} sampled`);
  expect(report).toContain("tiny (LoRA, rank 32)");
});

test("envs train --resume continues a run on its service, without its options", async () => {
  const run = await setUp();
  run.server.alterResult = (result, route) => {
    if (route === "optim_step" && run.server.routes.filter((name) => name === route).length === 3)
      throw new Error("the GPU has failed");
    return result;
  };
  const failed = await envs(run.args);
  expect(failed.code).toBe(2);
  const [, path = ""] = /envs train --resume (\S+)\. /u.exec(failed.stderr) ?? [];
  expect(failed.stderr).toContain("the GPU has failed");
  run.server.alterResult = undefined;

  const other = await envs(["train", "--resume", path, "--lora-rank", "8"]);
  expect(other.stderr).toContain("--lora-rank is 8, but the run has 32");
  const resumed = await envs(["train", "--resume", path]);
  expect(resumed.stderr).not.toContain("Cannot");
  expect(resumed.code).toBe(0);
  expect((await readState(path))?.phase).toBe("rl");
});

test("envs train rejects settings that services cannot honour before it connects", async () => {
  const loss = { name: "clip", entropyCoefficient: 0.01, dualClip: 3 };
  const run = await setUp({ phases: { rl: { ...rl, loss, temperature: 0.7 } } });
  const { code, stderr } = await envs(run.args);
  expect(code).toBe(2);
  for (const problem of ["rl: entropyCoefficient", "rl: dualClip", "Set temperature to 1"])
    expect(stderr).toContain(problem);
  expect(run.server.routes).toEqual([]);
});

test("envs train --doctor shows what a service can do and what a recipe lacks there", async () => {
  const loss = { name: "cispo" };
  const run = await setUp({ phases: { rl: { ...rl, loss } } }, { losses: ["cross_entropy"] });
  const alone = await envs(["train", "--doctor", "--base-url", run.server.url]);
  expect(alone.code).toBe(0);
  expect(alone.stdout).toContain("models     tiny (up to 128 tokens)");
  const { code, stdout } = await envs([...run.args, "--doctor"]);
  expect(code).toBe(1);
  expect(stdout).toContain("✓ cross_entropy  ✗ importance_sampling  ✗ ppo  ✗ gspo  ✗ cispo");
  expect(stdout).toContain("✗ The service does not support the loss cispo");
  expect(run.server.routes).toContain("unload_model");
  expect(run.server.routes).not.toContain("asample");
});

test("envs adapter writes the adapter of a run as a package, and keeps the API key from other servers", async () => {
  const run = await setUp({ phases: { sft: recipe.phases.sft } }, { apiKey: "secret" });
  const key = { TINKER_API_KEY: "secret" };
  const trained = await envs([...run.args, "--json"], "", key);
  const { run: path } = JSON.parse(trained.stdout) as { readonly run: string };
  const files = await temporaryFolder();
  await writeFile(join(files, "adapter_config.json"), "{}");
  await writeFile(join(files, "adapter_model.safetensors"), "weights");
  const names = ["adapter_config.json", "adapter_model.safetensors"];
  const archive = execFileSync("tar", ["-cz", "-C", files, ...names]);
  const headers: IncomingHttpHeaders[] = [];
  const storage = createServer((request, response) => {
    headers.push(request.headers);
    response.end(archive);
  }).listen(0, "127.0.0.1");
  await once(storage, "listening");
  onTestFinished(() => void storage.close());
  const { port } = storage.address() as AddressInfo;
  const location = `http://127.0.0.1:${port}/archive`;
  // The first request of the model restores the checkpoint, the second stores the adapter.
  const route = "training_runs/model_2/checkpoints/sampler_weights/adapter-2/archive" as "forward";
  run.server.faults.push({ route, status: 302, headers: { location } });
  run.server.alterResult = (result, name) =>
    name === "save_weights_for_sampler"
      ? { ...result, path: "tinker://model_2/sampler_weights/adapter-2" }
      : result;
  const folder = join(files, "package");
  const args = ["adapter", path, "--name", "@you/letters-lora", "--output", folder];
  const { stdout, stderr, code } = await envs(args, "", key);
  expect([stderr, code]).toEqual(["", 0]);
  expect(stdout).toContain("--enable-lora");
  expect(headers).toHaveLength(1);
  expect(headers[0]).not.toHaveProperty("x-api-key");
  expect(await readFile(join(folder, "adapter_model.safetensors"), "utf8")).toBe("weights");
  const packageJson = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as object;
  expect(packageJson).toMatchObject({ envs: { plays: ["letters"], baseModel: "tiny" } });
  expect(await readFile(join(folder, "README.md"), "utf8")).toContain("## How it was trained");
});
