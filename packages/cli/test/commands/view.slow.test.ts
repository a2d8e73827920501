import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { createRun, runsFolder } from "@envs/records/node";
import { describe, expect, onTestFinished, test } from "vitest";

import { playedRollout, viewedRun } from "../viewer/run.ts";

const bin = join(import.meta.dirname, "../../src/bin.ts");
const fixture = join(import.meta.dirname, "../../../records/test/fixtures/verifiers-run");
const command = [bin, "view"];

async function envsView(...args: readonly string[]) {
  const child = spawn(process.execPath, [...command, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, "exit");
  return { stdout, stderr, code: child.exitCode };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-view-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Saves a run of counting. */
async function savedRun(
  outputs: string,
  { date, count = 3 }: { readonly date: string; readonly count?: number },
): Promise<string> {
  const { metadata } = viewedRun([]);
  const path = join(runsFolder(outputs, "counting", "policy:perfect"), date);
  const run = await createRun(path, { ...metadata, date, avg_reward: 0.5, num_examples: count });
  for (let index = 0; index < count; index += 1)
    await run.append(playedRollout(index, index % 2 === 0 ? 1 : undefined));
  await run.close();
  return path;
}

describe("envs view without a terminal", () => {
  test("prints a run of verifiers: its summary, then every rollout", async () => {
    const { stdout, code } = await envsView(fixture);
    expect(code).toBe(0);
    expect(stdout).toContain("5 scored, 1 failed, 1 truncated");
    expect(stdout.match(/^rollout \d of 6/gm)).toHaveLength(6);
    expect(stdout.slice(stdout.indexOf("rollout 3 of 6"))).toMatch(
      new RegExp(String.raw`^rollout 3 of 6  \(example 1, rollout 0\)  [0-9a-f]{16}
reward 1  correct 1  format 0  num_turns 2
ended by no_tools_called · 2 turns · 310 tokens in, 41 out · 1\.3 s

system
  Answer with a number in <answer> tags\.

user
  What does a lamp cost\?

assistant turn 1 · 1\.2 s
  → price\(item: "lamp"\)

tool price
  lamp: 12

assistant turn 2
  <answer>12</answer>
`),
    );
  });

  test("selects and sorts rollouts with --where, --sort and -n", async () => {
    const where = ["--where", "correct == 1 && turns >= 1"];
    const order = ["--sort", "reward", "--reverse", "-n", "2"];
    const { stdout } = await envsView(fixture, ...where, ...order);
    expect(stdout.match(/^reward \S+ /gm)).toEqual(["reward 1.2 ", "reward 1 "]);
  });

  test("shows only failed rollouts with --failed", async () => {
    const { stdout } = await envsView(fixture, "--failed");
    expect(stdout).toContain("rollout 1 of 1");
    expect(stdout).toContain("failed (model): The model gave no text and no tool call.");
  });

  test("prints one JSON object with --json: metadata, summary and the selected rollouts", async () => {
    const { stdout } = await envsView(fixture, "--json", "--where", "format == 1");
    const json = JSON.parse(stdout) as Record<string, unknown>;
    expect(json).toMatchObject({
      run: fixture,
      metadata: { env_id: "shop-questions" },
      summary: { counts: { total: 6, failed: 1 }, scores: { correct: { mean: 0.6 } } },
      problems: [],
      rollouts: [{ example_id: 0, rollout_index: 0, reward: 1.2 }],
    });
  });

  test("shows the newest run by default", async () => {
    const outputs = await folder();
    await savedRun(outputs, { date: "2026-02-01T00:00:00.000Z" });
    const newest = await savedRun(outputs, { date: "2026-03-01T00:00:00.000Z", count: 1 });
    await savedRun(outputs, { date: "2026-01-01T00:00:00.000Z" });
    const { stdout } = await envsView("--save", outputs, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ run: newest });
  });

  test("lists runs with --list, newest first", async () => {
    const outputs = await folder();
    await savedRun(outputs, { date: "2026-02-01T00:00:00.000Z" });
    await savedRun(outputs, { date: "2026-03-01T00:00:00.000Z", count: 1 });
    const { stdout } = await envsView("--list", "--save", outputs);
    expect(stdout.match(/2026-\d\d-/g)?.slice(0, 1)).toEqual(["2026-03-"]);
    expect(stdout).toMatch(/^environment +date +model +rollouts +reward$/m);
    const json = JSON.parse((await envsView("--list", "--json", "--save", outputs)).stdout);
    expect(json).toMatchObject([
      { date: "2026-03-01T00:00:00.000Z" },
      { date: "2026-02-01T00:00:00.000Z" },
    ]);
  });

  test("ends silently when the reader closes the pipe", async () => {
    const path = await savedRun(await folder(), { date: "2026-01-01T00:00:00.000Z", count: 2000 });
    const child = spawn(process.execPath, [...command, path, "--json"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe("");
    if (child.exitCode === null) await once(child, "exit");
    expect(child.exitCode).toBe(0);
  });
});

describe("envs view with invalid arguments", () => {
  test.each([
    [["--where", "corect == 1"], 2, /Unknown field corect\. Did you mean correct\?[^]*\^/],
    [["--sort", "score"], 2, /--sort is "score"\. Choose: reward, turns, tokens\./],
    [["-n", "0"], 2, /--limit is "0"/],
    [["--wher", "a"], 2, /Unknown option --wher\. Did you mean --where\?/],
  ])("%j exits with %i and a hint", async (args, code, message) => {
    const outcome = await envsView(fixture, ...args);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stdout).toBe("");
  });

  test("reports a folder that is not a run", async () => {
    const { stderr, code } = await envsView(import.meta.dirname);
    expect(stderr).toContain("is not a run");
    expect(code).toBe(2);
  });

  test("explains how to create a run if the folder is empty", async () => {
    const { stderr, code } = await envsView("--save", await folder());
    expect(stderr).toContain("envs eval");
    expect(code).toBe(1);
  });
});

// `script` makes the terminal. It is part of every Linux; elsewhere it takes other arguments.
test.skipIf(process.platform !== "linux")("in a real terminal, keys turn the pages", async () => {
  const line = [process.execPath, ...command, fixture].map((part) => `'${part}'`).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], { stdio: ["pipe", "pipe", "pipe"] });
  let shown = "";
  let all = "";
  child.stdout.on("data", (chunk) => {
    shown += String(chunk);
    all += String(chunk);
  });
  const shows = async (part: string): Promise<void> => {
    await expect.poll(() => shown, { timeout: 120_000 }).toContain(part);
    shown = "";
  };
  await shows("last reply or error");
  child.stdin.write("\r");
  await shows("rollout 1 of 6");
  child.stdin.write("q");
  await shows("last reply or error");
  child.stdin.write("f");
  await shows("1 of 6");
  child.stdin.write("\r");
  await shows("rollout 1 of 1");
  child.stdin.write("q");
  await shows("last reply or error");
  child.stdin.write("q");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  expect(all).toContain("\u001B[?1049h");
  expect(all.lastIndexOf("\u001B[?1049l")).toBeGreaterThan(all.lastIndexOf("rollout 1 of 1"));
});
