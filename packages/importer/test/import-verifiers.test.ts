import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { assistant, evaluate, type ModelRequest, policy } from "@envs/core";
import { describe, expect, it } from "vitest";

import { load, temporaryFolder, translate } from "./support/translate.ts";

const fixture = (name: string) => readFile(join(import.meta.dirname, "fixtures", name), "utf8");

describe("a single-turn environment", () => {
  const factory = fixture("capitals.py").then((text) => load({ "capitals.py": text }));

  it("asks its rows and gives the rewards of the original", async () => {
    const environment = (await factory)();
    const model = async ({ messages }: ModelRequest) => ({
      message: assistant(
        JSON.stringify(messages.at(-1)).includes("Japan")
          ? "<think>Easy.</think>\n<answer> TOKYO. </answer>"
          : "I do not know.",
      ),
      finish: "stop" as const,
    });
    const { rollouts } = await evaluate(environment, { model, rolloutsPerExample: 1 });
    const [france, japan] = rollouts;
    expect(rollouts).toHaveLength(3);
    expect(france).toMatchObject({
      status: "scored",
      scores: { exact: 0, format_reward: 0.2, brief: 0.48 },
      example: { task: "capitals", info: { country: "France" } },
    });
    expect(japan).toMatchObject({ scores: { exact: 1, format_reward: 1, brief: 0.48 } });
    expect(japan?.status === "scored" ? japan.reward : 0).toBeCloseTo(1 + 0.2 + 0.48);
  });

  it("has the parameters of load_environment as its config", async () => {
    const environment = (await factory)({ hint: true, limit: 1 });
    const model = async () => ({ message: assistant("?"), finish: "stop" as const });
    const { rollouts } = await evaluate(environment, { model, rolloutsPerExample: 1 });
    expect(rollouts.map(({ prompt }) => prompt[0]?.content)).toEqual([
      "Answer the question. It is in the atlas.",
    ]);
  });

  it("has a policy that earns the full exact score", async () => {
    const { rollouts } = await evaluate((await factory)(), {
      model: policy("gold"),
      rolloutsPerExample: 1,
    });
    expect(rollouts.map(({ completion }) => completion[0]?.content)).toContain(
      "<answer>Paris</answer>",
    );
  });
});

it("plays a multi-turn environment with its state, its stop and its retries", async () => {
  const factory = await load({ "ladder.py": await fixture("ladder.py") });
  const replies = ["up", "3", "2", "1"];
  let turn = 0;
  const model = async () => ({ message: assistant(replies[turn++]!), finish: "stop" as const });
  const { rollouts } = await evaluate(factory(), { model, concurrency: 1, rolloutsPerExample: 1 });
  const [first] = rollouts;
  expect(first).toMatchObject({ status: "scored", reward: 1, stopReason: "reached" });
  expect(first?.completion.map(({ content }) => content)).toEqual([
    "up",
    "Reply with a number.",
    "3",
    "You are at 3 of 5.",
    "2",
    "You are at 5 of 5.",
  ]);
});

describe("an environment with tools and a judge", () => {
  const imported = fixture("shop.py").then((text) => translate({ "shop.py": text }));

  it("makes schemas of signatures and docstrings", async () => {
    const text = (await imported).files.get("src/index.ts");
    expect(text).toContain('description: "Look up a price."');
    expect(text).toContain('fruit: z.string().describe("name of the fruit")');
    expect(text).toContain('count: z.int().default(1).describe("how many")');
    expect(text).toContain('needs: ["judge"]');
    expect(text).toContain("judgeOf(context, JUDGE_PROMPT)");
  });

  it("leaves what needs another library as a TODO beside the original line", async () => {
    const { files, report } = await imported;
    expect(report.todos).toEqual([
      { original: "shop.py:23", translation: "src/shop.ts:21", reason: "needs requests.get" },
    ]);
    expect(files.get("src/shop.ts")).toContain(
      '// response = requests.get("http://weather.test/" + city)\n  const response: any = todo("shop.py:23: needs requests.get");',
    );
    expect(report.needs[0]).toContain("--judge");
  });
});

it("reads files that Python opens, and JSON files as datasets", async () => {
  const factory = await load({ "atlas.py": await fixture("atlas.py") });
  const folder = await temporaryFolder({
    "rows.jsonl":
      '{"question":"France?","answer":"Paris"}\n{"question":"Japan?","answer":"Tokyo"}\n',
    "hints.json": '{"Paris":"a tower","Tokyo":"a bay"}',
    "names.txt": "Tokyo\n",
  });
  const [rows, hints, names] = ["rows.jsonl", "hints.json", "names.txt"].map((name) =>
    join(folder, name),
  );
  const prompts = async (split: string) => {
    const options = { model: policy("gold"), split, rolloutsPerExample: 1 };
    const { rollouts } = await evaluate(factory({ rows, hints, names }), options);
    return rollouts.map(({ prompt }) => prompt.at(-1)?.content);
  };
  expect(await prompts("train")).toEqual(["Japan? Hint: a bay"]);
  expect(await prompts("eval")).toEqual(["France?"]);
});

it("names what is missing in a package without load_environment", async () => {
  await expect(translate({ "a.py": "x = 1\n" })).rejects.toThrow(
    "sample has no function load_environment(). It is not an environment of verifiers 0.3.1 or earlier.",
  );
});

it("names the line that is not Python 3 where load_environment cannot be read", async () => {
  await expect(translate({ "a.py": "x = 1\ndef load_environment(:\n" })).rejects.toThrow(
    /a\.py:2 is not valid Python 3/,
  );
});

it("rejects code that is nested too deeply", async () => {
  const text = `x = ${"[".repeat(3000)}${"]".repeat(3000)}\n`;
  await expect(translate({ "a.py": text })).rejects.toThrow(
    "a.py:1 is nested more than 400 levels",
  );
});
