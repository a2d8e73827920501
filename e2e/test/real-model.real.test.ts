import { once } from "node:events";
import { createInterface } from "node:readline";

import { findRuns, readRun } from "@envs/records/node";
import { beforeAll, expect, test } from "vitest";

import { envs, start, temporaryFolder } from "./support/command-line.ts";

/** The GGUF file of a small instruct model, which `pnpm test:real-model` sets. */
const file = process.env["ENVS_MODEL"] ?? "";

interface Evaluation {
  readonly name: string;
  readonly examples: number;
  /** Rollouts of each example. */
  readonly rollouts: number;
  readonly limits: readonly string[];
}

const evaluations: readonly Evaluation[] = [
  { name: "reverse-text", examples: 3, rollouts: 2, limits: ["--max-tokens", "96"] },
  {
    name: "tictactoe",
    examples: 2,
    rollouts: 2,
    limits: ["--max-tokens", "24", "--max-turns", "3"],
  },
  { name: "wiki-search", examples: 3, rollouts: 1, limits: ["--max-tokens", "96"] },
  // Others are like these: code-repair runs code in a sandbox as sql does, and long prompts take the model minutes.
  { name: "sql", examples: 2, rollouts: 1, limits: ["--max-tokens", "64"] },
];

beforeAll(() => {
  expect(file, "run `pnpm test:real-model`").not.toBe("");
});

async function expectEvaluation(
  { name, examples, rollouts, limits }: Evaluation,
  model: readonly string[],
): Promise<void> {
  await using folder = await temporaryFolder();
  const size = ["-n", String(examples), "-r", String(rollouts)];
  const all = ["eval", name, ...model, ...size, ...limits, "--temperature", "0.7"];
  const { code, stdout, stderr } = await envs([...all, "--save", folder.path]);
  process.stdout.write(stdout);
  expect(code, stderr).toBe(0);
  const [path] = await findRuns(folder.path);
  const run = await readRun(path!);
  expect(run.problems).toEqual([]);
  expect(run.rollouts).toHaveLength(examples * rollouts);
  for (const { status, trajectory, usage } of run.rollouts) {
    expect(status).toBe("scored");
    expect(trajectory.every(({ message }) => message.role === "assistant")).toBe(true);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  }
  const replies = new Set(run.rollouts.map(({ completion }) => completion[0]?.content));
  expect(replies.size, "a real model must return different replies").toBeGreaterThan(1);
}

test.for(evaluations)("evaluates a real model on $name in process", (evaluation) =>
  expectEvaluation(evaluation, ["-m", `gguf:${file}`]),
);

test("evaluates a real model over HTTP", async () => {
  const endpoint = start(["serve", "model", "-m", `gguf:${file}`, "--port", "0"]);
  try {
    const [line] = (await once(createInterface({ input: endpoint.stdout! }), "line")) as [string];
    const [, name, url] = /^(.+) at (http\S+)$/.exec(line) ?? [];
    expect(url, line).toBeDefined();
    // A few rollouts of a turn, of several turns and with a tool: the tests above cover the other environments.
    for (const evaluation of evaluations.slice(0, 3))
      await expectEvaluation({ ...evaluation, examples: 2, rollouts: 1 }, [
        "-m",
        name!,
        "--base-url",
        url!,
        "-c",
        "4",
      ]);
  } finally {
    endpoint.kill("SIGTERM");
    await once(endpoint, "exit");
  }
});
