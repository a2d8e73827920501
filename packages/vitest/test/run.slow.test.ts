import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";

import {
  collectReportWorkspace,
  EvalTaskMetaSchema,
  parseVitestJsonReport,
  type ReportCase,
} from "@vitest-evals/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);

/** A copy of the fixtures, which tests may change. */
async function project(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-vitest-"));
  await cp(join(import.meta.dirname, "fixtures"), folder, { recursive: true });
  const root = join(import.meta.dirname, "..");
  await mkdir(join(folder, "node_modules/@envs"), { recursive: true });
  await symlink(root, join(folder, "node_modules/@envs/vitest"));
  for (const name of ["@envs/core", "vitest"])
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  return folder;
}

interface Run {
  readonly process: ChildProcess;
  readonly output: () => string;
}

function start(folder: string, options: readonly string[], variables: object = {}): Run {
  const { CI: _, VITEST: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [vitest, ...options], {
    cwd: folder,
    env: { ...inherited, NO_COLOR: "1", ...variables },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  onTestFinished(() => void child.kill());
  return { process: child, output: () => output };
}

async function run(folder: string, file: string, variables: Readonly<Record<string, string>> = {}) {
  const reporters = ["--reporter=json", "--outputFile=report.json"];
  const { FILTER: filter, ...others } = variables;
  const filters = filter === undefined ? [] : ["-t", filter];
  const started = start(folder, ["run", file, ...reporters, ...filters], others);
  const code = await new Promise((resolve) => started.process.on("close", resolve));
  const json: unknown = JSON.parse(
    await readFile(join(folder, "report.json"), "utf8").catch(() => {
      throw new Error(started.output());
    }),
  );
  return { code, report: parseVitestJsonReport(json) };
}

const statuses = (cases: readonly ReportCase[], suite: string): readonly string[] =>
  cases
    .filter(({ ancestorTitles }) => ancestorTitles[0] === suite)
    .map(({ title, status }) => `${title}: ${status}`);

describe("a run", () => {
  test("fails broken examples and failed trials, and reports everything as vitest-evals reads it", async () => {
    const folder = await project();
    const { code, report } = await run(folder, "shout.fixture.ts");
    expect(code).toBe(1);
    const { cases } = collectReportWorkspace(report);
    expect(statuses(cases, "default")).toEqual([
      "#0 always: always 3: passed",
      "#1 sometimes: sometimes 2: passed",
      "#2 never: never 0: failed",
      "#3 cut: cut 0: failed",
    ]);
    expect(statuses(cases, "strict")).toEqual([
      "#0 always: always 3: passed",
      "#1 sometimes: sometimes 2: failed",
    ]);
    expect(statuses(cases, "gate").at(-1)).toBe("passes the gate: failed");
    expect(statuses(cases, "budget").at(-1)).toBe("stays within the budget: failed");

    for (const { assertionResults } of report.testResults)
      for (const { meta } of assertionResults)
        expect(EvalTaskMetaSchema.safeParse(meta).error).toBeUndefined();
    const [, sometimes, never, cut] = cases as [ReportCase, ReportCase, ReportCase, ReportCase];
    expect(sometimes.eval).toMatchObject({ avgScore: 2 / 3, thresholdFailed: false });
    expect(sometimes.harness?.run).toMatchObject({
      output: "sometimes",
      usage: { model: "shouty", totalTokens: 330 },
      artifacts: { verdict: "flaky", shownTrial: 2 },
      session: {
        events: [
          { role: "system", content: "Write the word in capitals." },
          { role: "user", content: "sometimes 2" },
          { role: "assistant", content: "sometimes" },
        ],
      },
    });
    expect(never.failureMessages[0]).toContain("broken: 0 of 3 trials passed");
    expect(never.failureMessages[0]).toContain("capitals: The reply was never.");
    expect(cut.failureMessages[0]).toContain(
      "model (one of 3 such errors): the model: The connection was closed.",
    );
    const failures = cases.flatMap(({ failureMessages }) => failureMessages).join("\n");
    expect(failures).toContain("pass@3 0.67 [0.21, 0.94] on 3 examples");
    expect(failures).toContain("Even if all trials passed, 35 examples are needed for 0.9.");
    expect(failures).toMatch(/The budget is spent: 330 tokens in 3 calls, cost 0.0003/);
  });

  test("plays only the examples that a filter selects, and then skips the gate", async () => {
    const folder = await project();
    const { code, report } = await run(folder, "shout.fixture.ts", { FILTER: "#0 always" });
    expect(code).toBe(0);
    const played = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(
      played.filter(({ status }) => status === "passed").map(({ fullName }) => fullName),
    ).toEqual(
      ["default", "strict", "gate", "budget"].map((suite) => `${suite} #0 always: always 3`),
    );
  });
});

describe("recorded replies", () => {
  test("replace the model in CI, and a changed prompt fails with what changed", async () => {
    const folder = await project();
    const variables = { CALLS: join(folder, "calls"), CASSETTE: join(folder, "cassette.jsonl") };
    const calls = async (): Promise<number> =>
      (await readFile(variables.CALLS, "utf8").catch(() => "")).split("\n").length - 1;

    const unrecorded = await run(folder, "recorded.fixture.ts", { ...variables, CI: "true" });
    expect(unrecorded.code).toBe(1);
    expect(await calls()).toBe(0);
    expect(JSON.stringify(unrecorded.report)).toContain("run the test with ENVS_CASSETTES=auto");

    await run(folder, "recorded.fixture.ts", variables);
    expect(await calls()).toBe(6);
    const replayed = await run(folder, "recorded.fixture.ts", { ...variables, CI: "true" });
    expect(replayed.code).toBe(0);
    expect(await calls()).toBe(6);

    await change(join(folder, "environment.ts"), "in capitals.", "in large letters.");
    const changed = await run(folder, "recorded.fixture.ts", { ...variables, CI: "true" });
    expect(changed.code).toBe(1);
    expect(JSON.stringify(changed.report)).toContain("message 0 (system) changed: recorded");
    expect(await calls()).toBe(6);
  });

  test("make watch mode ask the model only for requests that an edit has changed", async () => {
    const folder = await project();
    const variables = { CALLS: join(folder, "calls"), CASSETTE: join(folder, "cassette.jsonl") };
    const calls = async (): Promise<number> =>
      (await readFile(variables.CALLS, "utf8").catch(() => "")).split("\n").length - 1;
    const { output } = start(folder, ["watch", "recorded.fixture.ts"], variables);
    const waitFor = (text: string, times: number): Promise<void> =>
      vi.waitFor(() => expect(output().split(text).length - 1, output()).toBe(times), {
        timeout: 120_000,
        interval: 200,
      });
    await waitFor("Waiting for file changes", 1);
    expect(await calls()).toBe(6);
    await change(join(folder, "environment.ts"), '"always 3"', '"mostly 3"');
    await waitFor("RERUN", 1);
    await waitFor("Waiting for file changes", 2);
    expect(await calls()).toBe(9);
  });
});

async function change(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}
