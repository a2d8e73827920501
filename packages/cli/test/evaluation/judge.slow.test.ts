import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished, test } from "vitest";

import { scriptedJudge } from "../../../../environments/summarize/test/scripted-judge.ts";
import { envs, envsHere, temporaryFolder } from "../command.ts";

async function careful() {
  const server = await modelServer({ answer: scriptedJudge, name: "careful" });
  onTestFinished(() => server.close());
  return server;
}

test("envs eval asks --judge over HTTP, records it, and does not resume with another", async () => {
  const server = await careful();
  const save = await temporaryFolder();
  const cache = join(save, "answers.jsonl");
  const judge = ["--judge", "careful", "--judge-base-url", server.url, "--judge-cache", cache];
  const evaluation = ["eval", "summarize", "-m", "policy:half", "-n", "3", "-r", "4"];
  const first = await envsHere([...evaluation, ...judge, "--save", save, "--json"]);
  expect(first).toMatchObject({ code: 0 });
  const printed = JSON.parse(first.stdout) as { readonly run: string };
  expect(printed).toMatchObject({
    reward: { mean: 1.4 },
    judge_usage: { careful: { calls: 3, cached: 9 } },
  });
  const { run } = printed;
  expect(server.requests).toBe(3);
  const metadata = JSON.parse(await readFile(join(run, "metadata.json"), "utf8")) as object;
  expect(metadata).toMatchObject({
    judge: {
      models: ["careful"],
      prompts: { faithful: expect.stringMatching(/^\w{16}$/) as string },
    },
    plan: { judge: "careful" },
  });

  const again = await envsHere([...evaluation, ...judge, "--save", save]);
  expect(again.stdout).toMatch(/judge +careful 0 calls and 12 cached/);
  expect(server.requests).toBe(3);

  const other = await envsHere(["eval", "--resume", run, "--judge", "strict"]);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('--judge is "strict", but the run has "careful"');
});

test("envs eval names the judge of the environment that it cannot load", async () => {
  const { code, stderr } = await envs(["eval", "summarize", "-m", "policy:brief"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/judge of summarize, gpt-5-mini\. .* requires an API key.* --judge/),
  ]);
});

test.for([
  ["policy:brief", "policy:brief cannot judge"],
  ["a,,b", "has an empty name"],
] as const)("envs eval rejects --judge %s", async ([judge, message]) => {
  const { code, stderr } = await envsHere([
    "eval",
    "summarize",
    "-m",
    "policy:brief",
    "--judge",
    judge,
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("envs play asks --judge over HTTP, and rejects it with --web", async () => {
  const server = await careful();
  const play = ["play", "summarize", "--judge", "careful", "--judge-base-url", server.url];
  const typed = "Dragons danced everywhere yesterday.\nn\n";
  const { stdout, code } = await envs(play, typed);
  expect([code, server.requests]).toEqual([0, 1]);
  expect(stdout).toContain("faithful 0");
  const page = await envsHere([...play, "--web"]);
  expect([page.code, page.stderr]).toEqual([
    2,
    expect.stringContaining("--judge does not go with --web"),
  ]);
});

test("envs train rollouts asks --judge over HTTP", async () => {
  const server = await careful();
  const judge = ["--judge", "careful", "--judge-base-url", server.url];
  const model = ["-m", "careful", "--base-url", server.url];
  const { stdout, code } = await envsHere([
    "train",
    "rollouts",
    "summarize",
    ...model,
    ...judge,
    "--json",
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ rollouts: [{ reward: 0, error: null }] });
  // One request to the model, one to the judge.
  expect(server.requests).toBe(2);
});

test("envs train asks --judge over HTTP, and does not resume with another", async () => {
  const server = await careful();
  const save = await temporaryFolder();
  const recipe = join(save, "recipe.ts");
  const data = { policy: "brief", examples: 4, rolloutsPerExample: 1 };
  const sft = { kind: "sft", data, epochs: 1, batchSize: 4 };
  const rl = {
    kind: "rl",
    steps: 1,
    sources: [{ groups: 1 }],
    rolloutsPerExample: 2,
    maxTokens: 8,
  };
  const plan = { model: { context: 2048 }, phases: { sft, rl } };
  await writeFile(recipe, `export default ${JSON.stringify(plan)};`);
  const judge = ["--judge", "careful", "--judge-base-url", server.url];
  const run = ["train", "summarize", "-c", recipe, "--save", save, "--json", ...judge];
  const { stdout, stderr, code } = await envsHere(run);
  expect([code, stderr]).toEqual([0, ""]);
  expect(server.requests).toBeGreaterThanOrEqual(5);
  const { run: path } = JSON.parse(stdout) as { readonly run: string };
  const other = await envsHere(["train", "--resume", path, "--judge", "strict"]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('the run has "careful"')]);
});

const example = {
  prompt: "On Monday, a fallen tree closed the library. Ada Quill announced repairs for 900 euros.",
  facts: [{ words: ["library"] }],
};
const labelled = [
  ["A fallen tree closed the library.", "faithful"],
  ["A fallen tree closed the library for three years.", "invents"],
  ["Dragons danced everywhere yesterday.", "contradicts"],
  ["On Monday, Ada Quill closed the library.", "contradicts"],
].map(([reply, label]) => ({ example, reply, label }));

async function labelledFile(lines: readonly unknown[]): Promise<string> {
  const file = join(await temporaryFolder(), "labelled.jsonl");
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

test("envs judge calibrate compares a judge with labels, and saves the hash of its prompt", async () => {
  const server = await careful();
  const file = await labelledFile(labelled);
  const judge = ["--judge", "careful", "--judge-base-url", server.url];
  const { stdout, code } = await envsHere([
    "judge",
    "calibrate",
    file,
    "-e",
    "summarize",
    ...judge,
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain("4 replies, each judged 3 times");
  expect(stdout).toMatch(/agreement with the labels +0\.75/);
  expect(stdout).toMatch(/a judge that always answers contradicts +0\.5/);
  expect(stdout).toMatch(/agreement with itself +1/);
  // Each repetition asks again.
  expect(server.requests).toBe(12);
  const saved = JSON.parse(await readFile(file.replace(".jsonl", ".calibration.json"), "utf8"));
  expect(saved).toMatchObject({
    judges: ["careful"],
    prompt: expect.stringMatching(/^\w{16}$/) as string,
    categories: ["contradicts", "invents", "faithful"],
    confusion: [
      [3, 0, 3],
      [0, 3, 0],
      [0, 0, 3],
    ],
  });
});

test.for([
  [[{ example, reply: "A.", label: "good" }], 'the label "good". It must be one of contradicts'],
  [[{ example, label: "faithful" }], "labelled.jsonl:1 does not match"],
  [[labelled[0], labelled[0]], "All 2 labels"],
  [[], "has no labelled replies"],
] as const)("envs judge calibrate rejects the file %j", async ([lines, message]) => {
  const file = await labelledFile(lines);
  const { stderr, code } = await envsHere([
    "judge",
    "calibrate",
    file,
    "-e",
    "summarize",
    "--judge",
    "x",
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
