import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { textOf } from "@envs/core";
import { type ModelServer, modelServer } from "@envs/models/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { envsHere, temporaryFolder } from "../../../cli/test/command.ts";
import { environmentPackage } from "../../../cli/test/manifest/package.ts";

const bin = join(import.meta.dirname, "../../../cli/src/bin.ts");

/** Repeats a word, in capitals and with a point: three demands, which only the feedback names. */
const module = `import { defineEnvironment } from "@envs/core";
export default defineEnvironment({
  name: "words",
  description: "Repeat a word.",
  systemPrompt: "Answer.",
  dataset: () => Array.from({ length: 40 }, (_, index) => ({ prompt: "word" + index })),
  rubric: {
    right: ({ reply, example }) => {
      const demands = {
        "Repeat the word.": reply.toLowerCase().includes(example.prompt),
        "Use capitals.": reply === reply.toUpperCase(),
        "End with a point.": reply.endsWith("."),
      };
      const missing = Object.keys(demands).filter((name) => !demands[name]);
      return { score: 1 - missing.length / 3, feedback: missing.join(" ") };
    },
  },
  policies: { right: ({ example }) => example.prompt.toUpperCase() + "." },
});
`;

/** A server whose replies follow the system prompt, and whose reflections add one demand from the feedback to it. */
async function server(delay = 0): Promise<ModelServer> {
  const started = await modelServer({
    name: "scripted",
    answer: async ({ messages }) => {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      const [first, last] = [textOf(messages[0]!.content), textOf(messages.at(-1)!.content)];
      if (first.startsWith("You improve")) {
        const [, present] = /```\n([^]*?)\n```/u.exec(first)!;
        const missing = first.slice(first.indexOf("Reward:"));
        const demand =
          /(?:Repeat the word|Use capitals|End with a point)\./u.exec(missing)?.[0] ?? "";
        return `Better:\n\`\`\`\n${`${present} ${demand}`.trim()}\n\`\`\``;
      }
      let reply = first.includes("Repeat") ? last : "x";
      if (first.includes("capitals")) reply = reply.toUpperCase();
      return first.includes("point") ? `${reply}.` : reply;
    },
  });
  onTestFinished(() => started.close());
  return started;
}

const wordsPackage = () =>
  environmentPackage(undefined, {
    packageJson: { name: "words" },
    files: { "dist/index.js": module },
  });

const common = (url: string) => ["-m", "scripted", "--reflection", "scripted", "--base-url", url];
const small = ["--train-examples", "6", "--held-out-examples", "6", "--patience", "4"];
const key = { OPENAI_API_KEY: "none" };

const json = async (...path: string[]) =>
  JSON.parse(await readFile(join(...path), "utf8")) as Record<string, unknown>;

async function searchesIn(save: string): Promise<readonly string[]> {
  const names = await readdir(join(save, "optimizations"), { recursive: true }).catch(() => []);
  return names
    .filter((name) => name.endsWith("plan.json"))
    .map((name) => join(save, "optimizations", name, ".."));
}

test("improves prompts, and envs eval plays with them", async () => {
  const [root, save, { url }] = [await wordsPackage(), await temporaryFolder(), await server()];
  const { stdout, stderr, code } = await envsHere(
    ["optimize", root, ...common(url), ...small, "--max-rollouts", "200", "--save", save],
    key,
  );
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("candidate 0: reward 0.000");
  expect(stdout).toMatch(/held out +0\.000 +1\.000 +\+1\.000/);
  const [path = ""] = await searchesIn(save);
  expect((await readdir(path)).toSorted()).toEqual([
    "journal.jsonl",
    "plan.json",
    "prompts.json",
    "report.md",
    "result.json",
  ]);
  const prompts = join(path, "prompts.json");
  const best = (await json(prompts)) as { prompts: { systemPrompt: string } };
  for (const demand of ["Repeat the word.", "Use capitals.", "End with a point."])
    expect(best.prompts.systemPrompt).toContain(demand);
  const report = await readFile(join(path, "report.md"), "utf8");
  expect(report).toContain("## Lineage");
  expect(report).toContain("## Curve");

  const evaluation = ["eval", root, "-m", "scripted", "--base-url", url, "-n", "3", "-r", "1"];
  const before = await envsHere([...evaluation, "--json", "--save", save], key);
  expect(JSON.parse(before.stdout)).toMatchObject({ reward: { mean: 0 } });
  const args = [...evaluation, "--prompts", prompts, "--save", save];
  const after = await envsHere([...args, "--json"], key);
  const { run } = JSON.parse(after.stdout) as { run: string };
  expect(JSON.parse(after.stdout)).toMatchObject({ reward: { mean: 1 } });
  expect(await json(run, "metadata.json")).toMatchObject({ plan: { prompts: best } });

  const rescored = await envsHere(["run", "rescore", run, "--json"]);
  expect(rescored.stderr).not.toContain("diverged");
  expect(rescored.code, rescored.stderr).toBe(0);
  const pushed = await envsHere([...args, "--push"], key);
  expect(pushed.stderr).toContain("--prompts cannot be combined with --push");
});

test("continues after kill -9 without paying twice, and ends like an uninterrupted search", async () => {
  const [root, save] = [await wordsPackage(), await temporaryFolder()];
  const undisturbed = await server();
  const options = [...small, "--max-rollouts", "150", "--concurrency", "2"];
  const first = await envsHere(
    ["optimize", root, ...common(undisturbed.url), ...options, "--save", join(save, "a"), "--json"],
    key,
  );
  expect(first.code, first.stderr).toBe(0);

  const slow = await server(40);
  const args = ["optimize", root, ...common(slow.url), ...options, "--save", join(save, "b")];
  const child = spawn(process.execPath, [bin, ...args, "--json"], {
    env: { ...process.env, ...key, NODE_PATH: "" },
    stdio: "ignore",
  });
  await vi.waitFor(() => expect(slow.requests).toBeGreaterThan(25), { timeout: 120_000 });
  child.kill("SIGKILL");
  await once(child, "exit");
  const [path = ""] = await searchesIn(join(save, "b"));
  expect(await json(path, "plan.json")).toMatchObject({ is_complete: false });

  const resumed = await envsHere(
    ["optimize", "--resume", "--save", join(save, "b"), "--json"],
    key,
  );
  expect(resumed.code, resumed.stderr).toBe(0);
  const { path: _, ...expected } = JSON.parse(first.stdout) as Record<string, unknown>;
  expect(JSON.parse(resumed.stdout)).toMatchObject(expected);
  // The calls that were running when the process was killed are made again.
  expect(slow.requests).toBeLessThanOrEqual(undisturbed.requests + 2);

  const calls = slow.requests;
  const again = await envsHere(["optimize", "--resume", path, "--json"], key);
  expect(again.code, again.stderr).toBe(0);
  expect(slow.requests).toBe(calls);
});

test("counts what judges cost in --max-cost", async () => {
  const { url } = await server();
  const judged = module.replace(
    "rubric: {",
    `rubric: {
    judged: {
      needs: ["judge"],
      score: async ({ prompt, judge }) => (await judge({ messages: prompt })).message.content.length,
    },`,
  );
  const root = await environmentPackage(undefined, {
    packageJson: { name: "words" },
    files: { "dist/index.js": judged },
  });
  const save = await temporaryFolder();
  const config = join(save, "envs.config.mjs");
  const endpoint = (input: number) => ({
    baseURL: url,
    model: "scripted",
    price: { input, output: 0 },
  });
  const endpoints = { free: endpoint(0), paid: endpoint(1e6) };
  await writeFile(config, `export default ${JSON.stringify({ endpoints })};`);
  // A question to the judge has three or four tokens, each of which costs 1.
  const search = ["optimize", root, "-m", "free", "--reflection", "free", "--judge", "paid"];
  const more = ["--max-cost", "1", "--config-file", config, "--save", save, "--json"];
  const { stdout, stderr, code } = await envsHere([...search, ...small, ...more], key);
  expect(code, stderr).toBe(0);
  const { cost, rollouts } = JSON.parse(stdout) as { cost: number; rollouts: number };
  // The search ends after the first evaluation of its selection examples.
  expect(rollouts).toBe(6);
  expect(cost).toBeGreaterThan(rollouts);
});

describe("rejects", () => {
  test.each([
    ["a search without a reflective model", ["-m", "x"], "Missing reflective model"],
    [
      "a policy as the model",
      ["-m", "policy:right", "--reflection", "x"],
      "policy:right does not read prompts",
    ],
    [
      "a budget of money without prices",
      ["-m", "x", "--reflection", "x", "--max-cost", "1", "--base-url", "http://127.0.0.1:1/v1"],
      "--max-cost requires the prices of both models. Unknown: x.",
    ],
    ["a budget of 0", ["-m", "x", "--reflection", "x", "--max-rollouts", "0"], "at least 1"],
  ])("%s", async (_, args, message) => {
    const save = await temporaryFolder();
    const { stderr, code } = await envsHere(
      ["optimize", await wordsPackage(), ...args, "--save", save],
      key,
    );
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(await searchesIn(save)).toEqual([]);
  });

  test("other settings for a resumed search, and folders without one", async () => {
    const [root, save, { url }] = [await wordsPackage(), await temporaryFolder(), await server()];
    const args = ["optimize", root, ...common(url), ...small, "--max-rollouts", "20"];
    expect((await envsHere([...args, "--save", save], key)).code).toBe(0);
    const [path = ""] = await searchesIn(save);
    const other = await envsHere(["optimize", "--resume", path, "--seed", "4", "--minibatch", "2"]);
    expect(other.stderr).toContain("A resumed search cannot change --seed, --minibatch");
    const latest = await envsHere(["optimize", "--resume", "latest", "--save", save]);
    expect(latest.stderr).toContain("No incomplete search found");
    const nothing = await envsHere(["optimize", "--resume", save]);
    expect(nothing.stderr).toContain("is not a search: it has no plan.json");

    await writeFile(join(root, "dist/index.js"), `${module}\n`);
    const changed = await envsHere(["optimize", "--resume", path], key);
    expect(changed.stderr).toContain("has changed since the search started (dist/index.js)");
  });

  test("files that are not prompts of the environment", async () => {
    const [root, folder] = [await wordsPackage(), await temporaryFolder()];
    await mkdir(folder, { recursive: true });
    const file = join(folder, "prompts.json");
    const evaluate = async (content: string) => {
      await writeFile(file, content);
      return await envsHere(["eval", root, "-m", "policy:right", "--prompts", file]);
    };
    expect((await evaluate("{")).stderr).toContain(`Cannot read the prompts in ${file}`);
    expect((await evaluate("{}")).stderr).toContain("has no prompts");
    const prompts = (environment: string, name: string) =>
      JSON.stringify({ environment, prompts: { [name]: "…" } });
    expect((await evaluate(prompts("sums", "systemPrompt"))).stderr).toContain(
      "The prompts are of sums, not of words",
    );
    expect((await evaluate(prompts("words", "tools.search"))).stderr).toContain(
      "words has no prompt named tools.search",
    );
  });
});
