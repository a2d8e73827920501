import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { readMetrics, readRecord, readState } from "@envs/trainer/node";
import { expect, onTestFinished, test } from "vitest";

import { envs, envsHere, temporaryFolder } from "../../../../cli/test/command.ts";
import { lettersPackage } from "../../../../cli/test/evaluation/letters.ts";
import type { TinkerServerOptions } from "../../tinker/tinker-server.ts";
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
  const { stdout, stderr, code } = await envsHere([...run.args, "--price", "1,2,3"]);
  expect(stderr).toContain(" tokens · cost 0.00");
  expect(code).toBe(0);
  const [, path = ""] = /saving to (\S+)/u.exec(stderr) ?? [];
  expect(stdout).toContain(`-m tinker:${path}`);
  const evaluated = await envsHere([
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
  const failed = await envsHere(run.args);
  expect(failed.code).toBe(2);
  const [, path = ""] = /envs train --resume (\S+)\. /u.exec(failed.stderr) ?? [];
  expect(failed.stderr).toContain("the GPU has failed");
  run.server.alterResult = undefined;

  const other = await envsHere(["train", "--resume", path, "--lora-rank", "8"]);
  expect(other.stderr).toContain("--lora-rank is 8, but the run has 32");
  const resumed = await envsHere(["train", "--resume", path]);
  expect(resumed.stderr).not.toContain("Cannot");
  expect(resumed.code).toBe(0);
  expect((await readState(path))?.phase).toBe("rl");
});

test("envs train rejects settings that services cannot honour before it connects", async () => {
  const loss = { name: "clip", entropyCoefficient: 0.01, dualClip: 3 };
  const run = await setUp({ phases: { rl: { ...rl, loss, temperature: 0.7 } } });
  const { code, stderr } = await envsHere(run.args);
  expect(code).toBe(2);
  for (const problem of ["rl: entropyCoefficient", "rl: dualClip", "Set temperature to 1"])
    expect(stderr).toContain(problem);
  expect(run.server.routes).toEqual([]);
});

test("envs train --doctor shows what a service can do and what a recipe lacks there", async () => {
  const loss = { name: "cispo" };
  const run = await setUp({ phases: { rl: { ...rl, loss } } }, { losses: ["cross_entropy"] });
  const alone = await envsHere(["train", "--doctor", "--base-url", run.server.url]);
  expect(alone.code).toBe(0);
  expect(alone.stdout).toContain("models     tiny (up to 128 tokens)");
  const { code, stdout } = await envsHere([...run.args, "--doctor"]);
  expect(code).toBe(1);
  expect(stdout).toContain("dialect    JSON");
  expect(stdout).toContain("two or more are free");
  expect(stdout).toContain("✓ cross_entropy  ✗ importance_sampling  ✗ ppo  ✗ gspo  ✗ cispo");
  expect(stdout).toContain("✗ The service does not support the loss cispo");
  expect(run.server.routes).toContain("unload_model");
  expect(run.server.routes).not.toContain("asample");
});

test("envs train --doctor names the dialect, and warns if a killed client would block its own resume", async () => {
  const run = await setUp(recipe, { protobuf: true, adapters: 1 });
  const { code, stdout } = await envsHere([...run.args, "--doctor"]);
  expect(stdout).toContain("dialect    protobuf");
  expect(stdout).toContain("one is free");
  expect(stdout).toContain("--resume waits until the service ends the old session");
  expect(stdout).toContain("✓ The recipe can run here.");
  expect(code).toBe(0);
});

test("envs train --from starts from the weights of a run, with a new optimizer", async () => {
  const run = await setUp({ phases: { sft: { ...recipe.phases.sft, epochs: 1 } } });
  const first = await envsHere([...run.args, "--json"]);
  const { run: path } = JSON.parse(first.stdout) as { readonly run: string };
  const loads: unknown[] = [];
  run.server.onRequest = (route, body) => void (route === "load_weights" && loads.push(body));
  const { code } = await envsHere([...run.args, "--from", path]);
  expect(code).toBe(0);
  expect(loads).toEqual([expect.objectContaining({ optimizer: false })]);
});

test("envs train adapter writes the adapter of a run as a package, and keeps the API key from other servers", async () => {
  const run = await setUp({ phases: { sft: recipe.phases.sft } }, { apiKey: "secret" });
  const key = { TINKER_API_KEY: "secret" };
  const trained = await envs([...run.args, "--json"], "", key);
  const { run: path } = JSON.parse(trained.stdout) as { readonly run: string };
  const files = await temporaryFolder();
  const tensor = { dtype: "F32", shape: [1], data_offsets: [0, 4] };
  const header = JSON.stringify({ "layers.0.mlp.up_proj.lora_A.weight": tensor });
  const weights = Buffer.concat([Buffer.alloc(8), Buffer.from(header), Buffer.alloc(4)]);
  weights.writeBigUInt64LE(BigInt(header.length));
  await writeFile(join(files, "adapter_config.json"), '{ "r": 8, "target_modules": null }');
  await writeFile(join(files, "adapter_model.safetensors"), weights);
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
  const args = [
    "train",
    "adapter",
    path,
    "--name",
    "@you/letters-lora",
    "--base-model",
    "you/tiny",
  ];
  args.push("--output", folder);
  const { stdout, stderr, code } = await envs(args, "", key);
  expect([stderr, code]).toEqual(["", 0]);
  expect(stdout).toContain("--enable-lora");
  expect(headers).toHaveLength(1);
  expect(headers[0]).not.toHaveProperty("x-api-key");
  expect(await readFile(join(folder, "adapter_model.safetensors"))).toEqual(weights);
  expect(JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8"))).toEqual({
    r: 8,
    base_model_name_or_path: "you/tiny",
    target_modules: ["up_proj"],
  });
  const packageJson = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as object;
  expect(packageJson).toMatchObject({ envs: { plays: ["letters"], baseModel: "you/tiny" } });
  expect(await readFile(join(folder, "README.md"), "utf8")).toContain("## How it was trained");
});

test("workers of a queue sample from the service with the weights of each step", async () => {
  await using database = await postgresDatabase();
  const worker = worksOn(database.url);
  const metricsOf = async (options: readonly string[]) => {
    const run = await setUp({
      ...recipe,
      evaluations: [{ name: "some", examples: 3, maxTokens: 3 }],
    });
    const { stdout, stderr, code } = await envsHere([...run.args, ...options, "--json"]);
    expect(code, stderr).toBe(0);
    const { run: path } = JSON.parse(stdout) as { readonly run: string };
    const rows = await readMetrics(join(path, "metrics.jsonl"));
    const metrics = rows.map(({ phase, step, values }) => {
      const { gamesPerSecond: _, tokensPerSecond: __, ...same } = values;
      return { phase, step, same };
    });
    return { metrics, routes: run.server.routes };
  };
  const alone = await metricsOf([]);
  const queued = await metricsOf(["--queue", database.url]);
  expect(queued.metrics).toEqual(alone.metrics);
  const sessions = queued.routes.filter((route) => route === "create_session").length;
  expect(sessions).toBeGreaterThan(1);
  expect(queued.routes.filter((route) => route === "create_model")).toHaveLength(1);
  worker.kill("SIGTERM");
});

/** A worker of a queue, until the end of the test. */
function worksOn(queue: string) {
  const bin = join(import.meta.dirname, "../../../../cli/src/bin.ts");
  const args = [bin, "queue", "worker", "--queue", queue, "-c", "4"];
  const worker = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, "../../../../.."),
    stdio: "ignore",
  });
  onTestFinished(() => void worker.kill("SIGKILL"));
  return worker;
}
