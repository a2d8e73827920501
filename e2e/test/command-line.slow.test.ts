import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { modelServer } from "@envs/models/testing";
import { findRuns, readRun } from "@envs/records/node";
import { expect, test, vi } from "vitest";

import { envsHere } from "../../packages/cli/test/command.ts";
import { envs, finished, start, temporaryFolder } from "./support/command-line.ts";

test.for([
  [["evl"], 'Unknown command "evl". Did you mean envs eval?'],
  [["eval", "tictactoe", "-m", "policy:optimal", "--exampels", "3"], "Did you mean --examples?"],
  [
    ["eval", "tictactoe", "-m", "policy:optimal", "--examples", "many"],
    "It must be a whole number",
  ],
  [
    ["eval", "tictactoe", "-m", "policy:optimal", "--min-random-move-prob", "3"],
    "minRandomMoveProb: Too big",
  ],
  [["eval", "tictactoe", "-m", "policy:optimal", "--split", "x"], 'tictactoe has no split "x"'],
  [
    ["eval", "tictactoe", "-m", "policy:perfect"],
    "It has: optimal, first-free, mixed, careless, opponent, random.",
  ],
  [["eval", "tictactoe"], "Missing model. Pass -m"],
  [["eval"], "Missing environment."],
  [["eval", "no-such-thing", "-m", "x"], "envs install no-such-thing"],
  [["eval", "@envs/core", "-m", "policy:x"], "does not export an environment"],
  [["eval", "tictactoe", "-m", "gpt-5"], "Set the variable OPENAI_API_KEY"],
  [["eval", "tictactoe", "-m", "gguf:./missing.gguf"], "./missing.gguf"],
  [["eval", "--plan", "nightly"], "the config file has no plans."],
  [["eval", "--resume", "./nothing"], "is not a run"],
  [
    [
      "eval",
      "tictactoe",
      "-m",
      "x",
      "--base-url",
      "http://localhost:1",
      "--api-key-var",
      "NOT_SET",
    ],
    "NOT_SET",
  ],
] as const)("rejects %j with a usage error that names the remedy", async ([args, message]) => {
  await using folder = await temporaryFolder();
  const savesRun = args[0] === "eval" && args[1] !== "--resume";
  const save = savesRun ? ["--save", folder.path] : [];
  vi.stubEnv("OPENAI_API_KEY", "");
  const { code, stderr, stdout } = await envsHere([...args, ...save]);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("    at ");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(await findRuns(folder.path)).toEqual([]);
});

test("lists the commands that begin with a word", async () => {
  const { code, stdout } = await envs(["suite"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("suite publish  Check and")]);
});

test("lists the options of the environment's config in the help of eval", async () => {
  const { code, stdout } = await envs(["eval", "tictactoe", "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("--min-random-move-prob");
  expect(stdout).toContain("-r, --rollouts <count>");
});

test("stops on Ctrl-C, saves the run and prints how to resume it", async () => {
  await using server = await modelServer({ faults: { delay: { milliseconds: 30 } } });
  await using folder = await temporaryFolder();
  const child = start([
    "eval",
    "tictactoe",
    ...["-m", "model", "--base-url", server.url].concat("--save", folder.path),
    "--examples=200",
    "--concurrency=8",
  ]);
  const result = finished(child);
  await vi.waitUntil(() => server.requests > 80, { timeout: 120_000 });
  child.kill("SIGINT");
  const { code, stdout, stderr } = await result;
  expect(stderr).toContain("Stopping.");
  expect(stdout).toContain("This run is incomplete. To resume it: envs eval --resume");
  expect(code).toBe(1);
  const [path] = await findRuns(folder.path);
  const { rollouts } = await readRun(path!);
  expect(rollouts.length).toBeGreaterThan(0);
  expect(rollouts.every(({ status }) => status === "scored")).toBe(true);
});

test("does not resume a run that another process is writing", async () => {
  await using server = await modelServer({ faults: { delay: { milliseconds: 30 } } });
  await using folder = await temporaryFolder();
  const save = ["--save", folder.path];
  const child = start([
    "eval",
    "tictactoe",
    "-m",
    "model",
    "--base-url",
    server.url,
    ...save,
    "-n",
    "200",
    "-c",
    "4",
  ]);
  const first = finished(child);
  await vi.waitUntil(() => server.requests > 0, { timeout: 120_000 });
  const second = await envs(["eval", "--resume", ...save]);
  expect(second.stderr).toContain("is writing to");
  expect(second.code).toBe(2);
  child.kill("SIGKILL");
  await first;
});

test("runs a plan of the config file with its named endpoint", async () => {
  await using server = await modelServer({ name: "served", apiKey: "secret" });
  await using folder = await temporaryFolder();
  const file = join(folder.path, "envs.config.mjs");
  await writeFile(
    file,
    `export default {
      endpoints: { mine: { model: "served", baseURL: ${JSON.stringify(server.url)}, apiKeyVariable: "MINE", price: { input: 1, output: 2 } } },
      plans: { both: [
        { environment: "reverse-text", model: "mine", examples: 2, rolloutsPerExample: 2 },
        { environment: "tictactoe", model: "policy:random", examples: 3, rolloutsPerExample: 1, config: { minRandomMoveProb: 1 } },
      ] },
    };`,
  );
  const args = ["eval", "--plan", "both", "--config-file", file, "--save", folder.path, "--json"];
  const { code, stdout, stderr } = await envs(args, { MINE: "secret" });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const { runs } = JSON.parse(stdout) as { runs: { counts: { scored: number }; cost?: number }[] };
  expect(runs.map(({ counts }) => counts.scored)).toEqual([4, 3]);
  expect(runs[0]?.cost).toBeGreaterThan(0);

  await writeFile(file, "export default { endpoint: {} };");
  const wrong = await envs(args, { MINE: "secret" });
  expect(wrong.stderr).toContain("Invalid config file");
  expect(wrong.code).toBe(2);
});

test("loads an environment by the path of its folder", async () => {
  await using folder = await temporaryFolder();
  const own = join(folder.path, "own");
  await mkdir(own);
  await writeFile(
    join(own, "index.ts"),
    `const definition = {
      name: "own",
      dataset: () => [{ prompt: "Say a." }],
      rubric: { a: ({ reply }: { reply: string }) => (reply === "a" ? 1 : 0) },
      policies: { a: () => "a" },
    };
    export default Object.assign(() => ({ name: "own", config: {}, definition }), { definition });`,
  );
  const { code, stdout, stderr } = await envs([
    "eval",
    own,
    "-m",
    "policy:a",
    "--json",
    "--save",
    folder.path,
  ]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({ counts: { total: 3 }, reward: { mean: 1 } });
  expect(code).toBe(0);
});

test("saves every rollout when three of 20 hang or leave an error that no code handles", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "careless.mjs");
  await writeFile(
    file,
    `import { defineEnvironment } from ${JSON.stringify(core)};
const defects = {
  3: () => new Promise(() => {}),
  4: () => void Promise.reject(new Error("boom")),
  5: () => new Promise(() => setTimeout(() => { throw new Error("tick"); })),
};
export default defineEnvironment({
  name: "careless",
  dataset: () => Array.from({ length: 20 }, (_, index) => ({ prompt: String(index) })),
  async respond({ example }) {
    await defects[example.prompt]?.();
    return "Again.";
  },
  episode: { maxTurns: 2 },
  rubric: { one: () => 1 },
  policies: { play: () => "Done." },
});
`,
  );
  const { code, stdout } = await envs([
    "eval",
    file,
    "-m",
    "policy:play",
    "-n",
    "20",
    "-r",
    "1",
    "--json",
    "--save",
    folder.path,
  ]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    is_complete: true,
    counts: { scored: 17, failed: 3 },
    failures: { environment: 3 },
  });
});

const core = import.meta.resolve("@envs/core");

test.for([
  [
    "a syntax error",
    "bad.mjs",
    "export const a = 1;\nexport default { a: 1 ;\n",
    "bad.mjs:2",
    "export default { a: 1 ;",
  ],
  [
    "a syntax error in TypeScript",
    "bad.ts",
    "export const a: number = 1;\nexport default { a: 1 ;\n",
    "bad.ts:2",
    "export default { a: 1 ;",
  ],
  [
    "a missing export",
    "bad.mjs",
    `\nimport { nothing } from ${JSON.stringify(core)};\n`,
    "bad.mjs:2",
    "import { nothing }",
  ],
  [
    "a missing module",
    "bad.mjs",
    '\n\nimport "./missing.mjs";\n',
    "bad.mjs:3",
    'import "./missing.mjs";',
  ],
  [
    "code that throws",
    "bad.mjs",
    "\nundefinedFunction();\n",
    "bad.mjs:2",
    "undefinedFunction is not defined",
  ],
  [
    "an invalid definition",
    "bad.mjs",
    `import { defineEnvironment } from ${JSON.stringify(core)};\nexport default defineEnvironment({ name: "bad", dataset: () => [], rubric: {} });\n`,
    "bad.mjs:2",
    "The rubric of bad is empty",
  ],
] as const)(
  "names the file and line of %s in an environment",
  async ([, name, code, place, line]) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, name);
    const entry = join(folder.path, "entry.mjs");
    await writeFile(file, code);
    await writeFile(entry, `import "./${name}";\n`);
    const { code: exitCode, stderr } = await envs(["info", entry]);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain(join(folder.path, place));
    expect(stderr).toContain(line);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);
