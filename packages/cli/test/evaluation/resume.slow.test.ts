import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { modelServer } from "@envs/models/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { envs, envsHere, temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";
import {
  cutRun,
  evaluated,
  lettersPackage,
  metadataOf,
  promptsOf,
  type Row,
  rowsOf,
} from "./letters.ts";

/** Evaluates two of four examples twice, then resumes the run after a change. */
async function resumedAfter(
  change: (root: string) => Promise<unknown>,
  { root, reference = "" }: { readonly root?: string; readonly reference?: string } = {},
) {
  const folder = root ?? (await lettersPackage());
  const save = await temporaryFolder();
  // Here, vitest and not Node loads TypeScript.
  const command = reference.endsWith(".ts") ? envs : envsHere;
  const run = await evaluated([join(folder, reference), "-r", "2", "--save", save], command);
  await cutRun(run, 3);
  await change(folder);
  return { run, ...(await envs(["eval", "--resume", run, "--json"])) };
}

describe("envs eval --resume", () => {
  test.each([
    ["the module", "dist/index.js"],
    ["a module that it imports", "dist/grade.js"],
    ["a data file that the package lists", "data/rows.json"],
  ])("rejects a run after a change of %s", async (_, file) => {
    const change = async (root: string) =>
      writeFile(join(root, file), `${await readFile(join(root, file), "utf8")}\n`);
    const { run, code, stderr } = await resumedAfter(change);
    expect(code).toBe(2);
    expect(stderr).toContain(`has changed since the run started (${file})`);
    expect(stderr).toContain("start a new run without --resume: envs eval");
    expect(await promptsOf(run)).toHaveLength(3);
  });

  test("rejects a run after a change of a module that a file in TypeScript imports", async () => {
    const root = await lettersPackage({
      packageJson: { files: undefined },
      files: {
        "env.ts": `export { default } from "./dist/index.js";\nexport type Letter = string;\n`,
      },
    });
    const change = () => writeFile(join(root, "dist/grade.js"), "export const grade = () => 0;\n");
    const { code, stderr } = await resumedAfter(change, { root, reference: "env.ts" });
    expect(code).toBe(2);
    expect(stderr).toContain("(dist/grade.js)");
  });

  test("continues after a change of files that do not affect the environment", async () => {
    const { code, stdout } = await resumedAfter(async (root) => {
      await writeFile(join(root, "README.md"), "More letters.");
      await writeFile(join(root, "notes.txt"), "Not in the package.");
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { scored: 8 } });
  });

  test("rejects a run that lacks the files of its environment", async () => {
    const root = await lettersPackage();
    const run = await evaluated([root, "--save", await temporaryFolder()]);
    const { environment, ...metadata } = await metadataOf(run);
    const { files: _, ...old } = environment as Record<string, unknown>;
    await writeFile(join(run, "metadata.json"), JSON.stringify({ ...metadata, environment: old }));
    const { code, stderr } = await envs(["eval", "--resume", run]);
    expect(code).toBe(2);
    expect(stderr).toContain("has no valid evaluation plan");
  });
});

describe("a dataset outside of the package", () => {
  /** Evaluates rows twice each, then resumes the run with other rows. */
  async function resumedWith(before: readonly Row[], after: readonly Row[]) {
    const file = join(await temporaryFolder(), "rows.json");
    await writeFile(file, JSON.stringify(before));
    const options = [await lettersPackage(), "--file", file, "-r", "2"];
    const run = await evaluated([...options, "--save", await temporaryFolder()]);
    await writeFile(file, JSON.stringify(after));
    return { run, ...(await envs(["eval", "--resume", run, "--json"])) };
  }

  test("moves the rollouts of changed and removed examples out of the run", async () => {
    const { run, code, stdout } = await resumedWith(rowsOf("abcd"), rowsOf("abxe"));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { total: 8 }, stale_rollouts: 4 });
    expect(await promptsOf(run)).toEqual("aabbxxee");
    const removed = (await readFile(join(run, "removed.jsonl"), "utf8")).trim().split("\n");
    expect(removed.map((line) => (JSON.parse(line) as Row).prompt)).toHaveLength(4);
  });

  test("notices changed content under the same id", async () => {
    const withIds = (letters: string) =>
      rowsOf(letters).map((row, id) => ({ ...row, id: `${id}` }));
    const { run, stdout } = await resumedWith(withIds("abcd"), withIds("abxd"));
    expect(JSON.parse(stdout)).toMatchObject({ counts: { total: 8 }, stale_rollouts: 2 });
    expect(await promptsOf(run)).toEqual("aabbxxdd");
  });

  test("keeps the rollouts of examples that have moved, at their new positions", async () => {
    const { run, stdout } = await resumedWith(rowsOf("abcd"), rowsOf("dcba"));
    expect(JSON.parse(stdout)).toMatchObject({ counts: { total: 8 } });
    expect(JSON.parse(stdout)).not.toHaveProperty("stale_rollouts");
    expect(await promptsOf(run)).toEqual("ddccbbaa");
  });

  test("rejects a run none of whose rollouts belongs to the dataset", async () => {
    const { run, code, stderr } = await resumedWith(rowsOf("abcd"), rowsOf("wxyz"));
    expect(code).toBe(2);
    expect(stderr).toContain("no longer has the examples of its 8 saved rollouts");
    expect(await promptsOf(run)).toEqual("aabbccdd");
  });
});

describe("options beside --resume", () => {
  async function cutLetters(): Promise<{ readonly root: string; readonly run: string }> {
    const root = await lettersPackage();
    const options = ["-n", "2", "-r", "2", "--seed", "3", "-t", "0.5"];
    const run = await evaluated([root, ...options, "--save", await temporaryFolder()]);
    await cutRun(run, 2);
    return { root, run };
  }

  test("change the settings that a resumed run may change, also for the next resumption", async () => {
    const { run } = await cutLetters();
    const speed = ["-c", "1", "--rollout-timeout", "60", "--turn-timeout", "30"];
    const size = ["-n", "3", "-r", "3", "--pass-threshold", "0.9"];
    const { stdout } = await envs(["eval", "--resume", run, "--json", ...speed, ...size]);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { scored: 9 }, is_complete: true });
    expect(await metadataOf(run)).toMatchObject({
      num_examples: 3,
      rollouts_per_example: 3,
      pass_threshold: 0.9,
      plan: { concurrency: 1, rolloutTimeout: 60_000, turnTimeout: 30_000, seed: 3 },
    });
    const { stderr } = await envs(["eval", "--resume", run]);
    expect(stderr).toContain("3 examples × 3 rollouts");
  });

  test("are rejected by name if they determine the rollouts", async () => {
    const { root, run } = await cutLetters();
    const other = ["-m", "policy:echo", "--seed", "4", "-t", "1", "--is-strict", "--shuffle"];
    const { code, stderr } = await envsHere(["eval", root, "--resume", run, ...other]);
    expect(code).toBe(2);
    for (const conflict of [
      "config isStrict is true, but the run has false",
      '--model is "policy:echo", but the run has "policy:right"',
      "--seed is 4, but the run has 3",
      "--temperature is 1, but the run has 0.5",
      "--shuffle is true, but the run has false",
    ])
      expect(stderr).toContain(conflict);
    expect(await promptsOf(run)).toHaveLength(2);
  });

  test("may repeat the command line of the run", async () => {
    const { root, run } = await cutLetters();
    const same = ["-m", "policy:right", "-n", "2", "-r", "2", "--seed", "3", "-t", "0.5"];
    const { code } = await envs(["eval", root, ...same, "--no-is-strict", "--resume", run]);
    expect(code).toBe(0);
  });

  test.each([
    [["-n", "1"], "--examples is 1, but the run has 2. A resumed run can have more examples"],
    [["-r", "1"], "--rollouts is 1, but the run has 2. A resumed run can have more rollouts"],
    [["--plan", "nightly"], "--plan starts new runs"],
    [["--config", '{"isStrict":true}'], "config isStrict is true"],
  ])("cannot be %j", async (args, message) => {
    const { run } = await cutLetters();
    const { code, stderr } = await envsHere(["eval", "--resume", run, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test("cannot enlarge groups whose rollouts are scored together", async () => {
    const root = await environmentPackage(
      `metrics: { best: { group: (all) => all.map(() => 0) } }, policies: { right: () => "7" },`,
    );
    const run = await evaluated([root, "-r", "2", "--save", await temporaryFolder()]);
    const { stderr } = await envsHere(["eval", "--resume", run, "-r", "3"]);
    expect(stderr).toContain("--rollouts cannot change");
  });

  test("are rejected if an endpoint of the config file now names another model", async () => {
    const server = await modelServer({ name: "small", answer: () => "a" });
    onTestFinished(() => server.close());
    const file = join(await temporaryFolder(), "envs.config.mjs");
    const configure = (model: string) =>
      writeFile(
        file,
        `export default { endpoints: { local: ${JSON.stringify({ model, baseURL: server.url })} } };`,
      );
    await configure("small");
    const options = ["-m", "local", "-n", "1", "-r", "1", "--config-file", file, "--json"];
    const save = ["--save", await temporaryFolder()];
    const key = { OPENAI_API_KEY: "any" };
    const { stdout } = await envs(["eval", await lettersPackage(), ...options, ...save], "", key);
    const { run } = JSON.parse(stdout) as { readonly run: string };
    await configure("large");
    const { code, stderr } = await envs(["eval", "--resume", run, "--config-file", file], "", key);
    expect(code).toBe(2);
    expect(stderr).toContain("local is now large, but the run was played with small");
  });

  test("are rejected if they name another environment", async () => {
    const { run } = await cutLetters();
    const other = ["./environments/reverse-text", "--resume", run];
    const { stderr } = await envsHere(["eval", ...other]);
    expect(stderr).toContain("the environment is ./environments/reverse-text, but the run has");
  });
});

test("envs eval --plan rejects options that the config file sets", async () => {
  const { code, stderr } = await envsHere(["eval", "--plan", "nightly", "-n", "3", "-c", "1"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--plan cannot be combined with --examples, --concurrency");
});

test("a token in --base-url is not saved, and --resume asks for it", async () => {
  const server = await modelServer({ name: "small", answer: () => "a" });
  onTestFinished(() => server.close());
  const key = { OPENAI_API_KEY: "any" };
  const address = ["--base-url", `${server.url}?token=hunter2`];
  const options = [
    "-m",
    "small",
    "-n",
    "1",
    "-r",
    "1",
    "--json",
    "--save",
    await temporaryFolder(),
  ];
  const { stdout } = await envs(["eval", await lettersPackage(), ...options, ...address], "", key);
  const { run } = JSON.parse(stdout) as { readonly run: string };
  expect(await readFile(join(run, "metadata.json"), "utf8")).not.toContain("hunter2");
  expect(await metadataOf(run)).toMatchObject({ base_url: `${server.url}?token=***` });

  const without = await envs(["eval", "--resume", run], "", key);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain("Pass it again with --base-url");
  expect((await envs(["eval", "--resume", run, ...address], "", key)).code).toBe(0);
});
