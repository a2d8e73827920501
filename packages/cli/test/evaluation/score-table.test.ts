import { assistantMessage, defineEnvironment, evaluate, type Model } from "@envs/core";
import { describe, expect, test } from "vitest";

import { scoreTable } from "../../src/evaluation/score-table.ts";

const environment = defineEnvironment({
  name: "numbers",
  dataset: () => [{ prompt: "0" }, { prompt: "1" }],
  rubric: { one: () => 1 },
})();

const usage = { inputTokens: 1000, outputTokens: 10 };

/** The line of a run's table that begins with `name`. The model returns `first` for the first example. */
async function line(name: string, first: object, rest: object): Promise<string | undefined> {
  const model: Model = async ({ messages }) => ({
    message: assistantMessage("1"),
    finish: "stop",
    ...(messages[0]?.content === "0" ? first : rest),
  });
  const { rollouts: _, ...summary } = await evaluate(environment, {
    model,
    examples: 2,
    rolloutsPerExample: 1,
  });
  return scoreTable(summary)
    .split("\n")
    .find((text) => text.includes(name));
}

describe("the tokens", () => {
  test("are a sum if all are known", async () => {
    expect(await line("tokens", { usage }, { usage })).toContain("2,000 in, 20 out");
  });

  test("are a lower bound if the tokens of a rollout are unknown", async () => {
    expect(await line("tokens", {}, { usage })).toContain(
      "at least 1,000 in, 10 out; unknown for 1 rollout",
    );
  });

  test("are unknown if the model does not report them", async () => {
    expect(await line("tokens", {}, {})).toMatch(/tokens\s+unknown for 2 rollouts/);
  });

  test("are omitted if the model uses no tokens", async () => {
    const none = { usage: { inputTokens: 0, outputTokens: 0 } };
    expect(await line("tokens", none, none)).toBeUndefined();
  });
});

test("counts filtered rollouts", async () => {
  expect(await line("rollouts", { finish: "content_filter" }, {})).toContain("1 filtered");
  expect(await line("rollouts", {}, {})).not.toContain("filtered");
});
