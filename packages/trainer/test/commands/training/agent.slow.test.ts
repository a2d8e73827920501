import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type MetricsRow, readMetrics } from "@envs/trainer/node";
import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../../cli/test/command.ts";
import { lettersPackage } from "../../../../cli/test/evaluation/letters.ts";

const recipe = `export default ${JSON.stringify({
  seed: 7,
  threads: 1,
  model: { width: 16, layers: 1, heads: 1, hidden: 16, context: 96 },
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "right", examples: 4 },
      epochs: 60,
      batchSize: 4,
      optimizer: { learningRate: 3e-3 },
    },
    rl: {
      kind: "rl",
      steps: 2,
      sources: [{ groups: 2 }],
      rolloutsPerExample: 3,
      maxTokens: 4,
      dropZeroVariance: false,
      keepRolloutsEvery: 1,
    },
  },
})};\n`;

/** An agent that writes a draft, and then a reply to the same conversation. */
const agent = `
export default async ({ baseURL, apiKey, messages }) => {
  const ask = async (asked) => {
    const response = await fetch(baseURL + "/chat/completions", {
      method: "POST",
      headers: { authorization: "Bearer " + apiKey, "content-type": "application/json" },
      body: JSON.stringify({ model: "policy", messages: asked }),
    });
    return (await response.json()).choices[0].message.content ?? "";
  };
  const draft = await ask(messages);
  return ask([...messages, { role: "assistant", content: draft }, { role: "user", content: "Again." }]);
};
`;

const withoutTimes = ({ ...values }: MetricsRow["values"]): MetricsRow["values"] =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !name.endsWith("PerSecond")));

/** Trains in a new folder. Returns the run's folder and its records without times. */
async function train(...more: readonly string[]) {
  const root = await lettersPackage();
  const save = await temporaryFolder();
  const [config, module] = [join(save, "recipe.mjs"), join(save, "agent.mjs")];
  await writeFile(config, recipe);
  await writeFile(module, agent);
  const options = more.map((option) => option.replace("<module>", module));
  const args = ["train", root, "--config", config, "--save", save, ...options];
  const { code, stdout, stderr } = await envs([...args, "--json"]);
  if (stdout === "") return { code, stderr, run: "", metrics: [], rows: [] };
  const { run } = JSON.parse(stdout) as { readonly run: string };
  const metrics = (await readMetrics(join(run, "metrics.jsonl"))).map(({ phase, values }) => ({
    phase,
    values: withoutTimes(values),
  }));
  const files = (await readdir(run, { recursive: true })).toSorted();
  const rows: { readonly trajectory: unknown }[] = [];
  for (const file of files.filter((name) => name.endsWith("results.jsonl")))
    for (const line of (await readFile(join(run, file), "utf8")).trim().split("\n"))
      rows.push(JSON.parse(line) as (typeof rows)[number]);
  return { code, stderr, run, metrics, rows };
}

test("trains the calls of an agent, with the same outcome each time, and resumes with it only", async () => {
  const [once, again] = [await train("--agent", "<module>"), await train("--agent", "<module>")];
  expect(once.code, once.stderr).toBe(0);
  expect(once.rows).toHaveLength(12);
  for (const { trajectory } of once.rows)
    expect(trajectory).toMatchObject([{ calls: [{ dialect: "chat" }, { dialect: "chat" }] }]);
  expect(again.metrics).toEqual(once.metrics);
  const last = once.metrics.at(-1)?.values;
  expect(last).toMatchObject({ failed: 0, turns: 1, length: expect.any(Number) });
  expect(last?.["gradientNorm"]).toBeGreaterThan(0);

  const { metrics } = await train();
  const trained = (rows: typeof metrics): number =>
    rows
      .filter(({ phase }) => phase === "rl")
      .reduce((sum, { values }) => sum + (values["tokens/trained"] ?? 0), 0);
  // The draft and the reply are trained, each with its prompt.
  expect(trained(once.metrics)).toBeGreaterThan(1.5 * trained(metrics));

  const { code, stderr } = await envs(["train", "--resume", once.run, "--agent", "./other.ts"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("Cannot resume with --agent ./other.ts"),
  ]);
});

test("rejects a missing module, and a queue", async () => {
  const other = await train("--agent", "./agents/none.ts");
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining("There is no file ./agents/none.ts. Pass --agent the module"),
  ]);
  const queue = await train("--agent", "<module>", "--queue", "embedded");
  expect(queue.stderr).toContain("plays in this process, but --queue lets workers play.");
});
