import { evaluate, policy } from "@envs/core";
import { servedTools } from "@envs/serve";
import toolUse from "@envs/tool-use";
import { expect, test } from "vitest";

import { describeEnvironment } from "../../../../cli/src/environments/describe.ts";
import { environmentSections } from "../../../../cli/src/info/environment-text.ts";
import { sft } from "../../../src/commands/export/formats/sft.ts";

const { rollouts } = await evaluate(toolUse({ categories: ["multiple"] }), {
  model: policy("oracle"),
  examples: 2,
  rolloutsPerExample: 1,
});
const source = { rollouts, clauses: [], tools: undefined, model: "policy:oracle" };
const offered = rollouts.map(({ example }) => example.offered);

/** The names of the tools of each exported chat. */
function toolsOf(isCalls: boolean): readonly (readonly string[])[] {
  const [file] = sft(source, {
    isBare: true,
    servedTools: isCalls ? servedTools : undefined,
  }).files;
  return file!.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { tools: { function: { name: string } }[] })
    .map(({ tools }) => tools.map((tool) => tool.function.name));
}

test("exports the tools of each rollout, without the environment", () => {
  expect(toolsOf(false)).toEqual(offered);
});

test("exports them with the tool respond for trainers that support only tools", () => {
  expect(toolsOf(true)).toEqual(offered.map((names) => [...names, "respond"]));
});

test("info states that each example has its own tools", async () => {
  const loaded = { factory: toolUse, version: "1.0.0" } as unknown as Parameters<
    typeof describeEnvironment
  >[0];
  const described = await describeEnvironment(loaded);
  expect(described).toMatchObject({ kind: "tools", tools: [] });
  const view = { ...described, dataset: "splits: train, eval", example: undefined };
  expect(environmentSections(view).join("\n")).toContain(
    "tools\neach example has its own: envs play lists them",
  );
});
