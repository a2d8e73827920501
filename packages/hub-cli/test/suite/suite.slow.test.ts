import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { envsHere, temporaryFolder } from "../../../cli/test/command.ts";

const environments = join(import.meta.dirname, "../../../../environments");

interface SuiteFile {
  readonly environments: readonly Readonly<Record<string, unknown>>[];
}

/** A suite of two evaluations of tictactoe, with the environment installed. */
async function gameSuite(): Promise<string> {
  const folder = join(await temporaryFolder(), "games");
  const created = await envsHere([
    "suite",
    "init",
    "@you/games",
    "tictactoe",
    "--directory",
    folder,
  ]);
  expect(created.code, created.stderr).toBe(0);
  const file = join(folder, "envs.suite.json");
  const suite = JSON.parse(await readFile(file, "utf8")) as SuiteFile;
  const [entry] = suite.environments;
  const entries = [0, 1].map((prob) => ({
    ...entry,
    examples: 3,
    rolloutsPerExample: 2,
    config: { ...(entry!["config"] as object), minRandomMoveProb: prob },
  }));
  await writeFile(file, JSON.stringify({ ...suite, environments: entries }));
  await mkdir(join(folder, "node_modules/@envs"), { recursive: true });
  await symlink(join(environments, "tictactoe"), join(folder, "node_modules/@envs/tictactoe"));
  return folder;
}

const run = async (folder: string, ...options: readonly string[]) =>
  await envsHere([
    "suite",
    "run",
    folder,
    "-m",
    "policy:random",
    "--quiet",
    "--save",
    join(folder, "outputs"),
    ...options,
  ]);

interface Results {
  readonly results: readonly {
    readonly path: string;
    readonly reward: number;
    readonly isComplete: boolean;
  }[];
}

it("locks the installed versions and default configs", async () => {
  const folder = await gameSuite();
  const json = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as object;
  const { version } = JSON.parse(
    await readFile(join(environments, "tictactoe/package.json"), "utf8"),
  ) as { readonly version: string };
  expect(json).toMatchObject({
    name: "@you/games",
    files: ["envs.suite.json"],
    dependencies: { "@envs/tictactoe": version },
  });
  const again = await envsHere(["suite", "init", "@you/games", "tictactoe", "--directory", folder]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
});

it("runs all evaluations with one command, and skips those that are complete", async () => {
  const folder = await gameSuite();
  const first = await run(folder);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toMatch(/@you\/games 1\.0\.0 · policy:random\n[^]*\nmean +-?\d\.\d{3}\n/);
  const { results } = JSON.parse((await run(folder, "--json")).stdout) as Results;
  expect(results.map(({ isComplete }) => isComplete)).toEqual([true, true]);
  const metadata = await Promise.all(
    results.map(
      async ({ path }) =>
        JSON.parse(await readFile(join(path, "metadata.json"), "utf8")) as {
          readonly plan: { readonly suite: string };
        },
    ),
  );
  expect(metadata.map(({ plan }) => plan.suite)).toEqual(["@you/games@1.0.0", "@you/games@1.0.0"]);
  const runs = await readdir(join(folder, "outputs"), { recursive: true });
  expect(runs.filter((path) => path.endsWith("results.jsonl"))).toHaveLength(2);
});

it("resumes an evaluation that was interrupted", async () => {
  const folder = await gameSuite();
  const { results } = JSON.parse(
    (await run(folder, "--json")).stdout.split("\n").at(-2)!,
  ) as Results;
  const path = results[1]!.path;
  const rows = (await readFile(join(path, "results.jsonl"), "utf8")).trimEnd().split("\n");
  await writeFile(join(path, "results.jsonl"), `${rows.slice(0, 2).join("\n")}\n`);
  const metadata = JSON.parse(await readFile(join(path, "metadata.json"), "utf8")) as object;
  await writeFile(join(path, "metadata.json"), JSON.stringify({ ...metadata, is_complete: false }));
  const resumed = await run(folder);
  expect(resumed.code, resumed.stderr).toBe(0);
  const lines = (await readFile(join(path, "results.jsonl"), "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(rows.length);
});

it.each([
  [
    "a version that is not installed",
    { version: "9.9.9" },
    "requires @envs/tictactoe@9.9.9, which is installed as",
  ],
  ["a package that is not installed", { environment: "@you/none" }, "@you/none@"],
  ["an invalid entry", { examples: 0 }, "envs.suite.json is not valid"],
])("rejects %s", async (_, change, message) => {
  const folder = await gameSuite();
  const file = join(folder, "envs.suite.json");
  const suite = JSON.parse(await readFile(file, "utf8")) as SuiteFile;
  const entries = suite.environments.map((entry) => ({ ...entry, ...change }));
  await writeFile(file, JSON.stringify({ ...suite, environments: entries }));
  const result = await run(folder);
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain(message);
});

it("checks configs before it publishes", async () => {
  const folder = await gameSuite();
  const file = join(folder, "envs.suite.json");
  const suite = JSON.parse(await readFile(file, "utf8")) as SuiteFile;
  const entries = suite.environments.map((entry) => ({ ...entry, config: { levle: 1 } }));
  await writeFile(file, JSON.stringify({ ...suite, environments: entries }));
  const result = await envsHere(["suite", "publish", folder]);
  expect(result).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("@envs/tictactoe does not accept its config in @you/games"),
  });
});
