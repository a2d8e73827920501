import { defineEnvironment, end } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { expect, test } from "vitest";
import * as z from "zod";

import { nemoRows, serve } from "../src/index.ts";
import { nemoClient } from "./support/nemo-client.ts";

const rowsOf = (...args: Parameters<typeof nemoRows>) => Array.fromAsync(nemoRows(...args));

test("a row has its example's position and prompt", async () => {
  const [row] = await rowsOf(reverseText(), { count: 1 });
  expect(row).toEqual({
    responses_create_params: {
      input: [
        { role: "system", content: expect.stringMatching(/^Reverse the text/u) },
        { role: "user", content: expect.any(String) },
      ],
      tools: [],
      parallel_tool_calls: false,
    },
    verifier_metadata: { split: "train", index: 0, id: expect.any(String) },
    agent_ref: { type: "responses_api_agents", name: "reverse_text_simple_agent" },
  });
});

test("a row has the tools that the agent's style needs", async () => {
  const names = async (...args: Parameters<typeof nemoRows>) => {
    const [row] = await rowsOf(args[0], { ...args[1], count: 1 });
    return row!.responses_create_params.tools.map((tool) => {
      expect(tool).toMatchObject({
        type: "function",
        strict: false,
        parameters: { type: "object" },
      });
      return tool.name;
    });
  };
  expect(await names(tictactoe())).toEqual(["respond"]);
  expect(await names(doubleCheck())).toEqual(["respond"]);
  expect(await names(wikiSearch())).toEqual(["search", "open", "read"]);
  expect(await names(tictactoe(), { style: "gymnasium" })).toEqual([]);
});

test("rows end at count or at the end of the split, and an unknown split is rejected", async () => {
  const allRows = await rowsOf(reverseText({ examples: 3 }));
  expect(allRows.map(({ verifier_metadata: { index } }) => index)).toEqual([0, 1, 2]);
  const twoRows = await rowsOf(wikiSearch(), { split: "eval", count: 2 });
  expect(twoRows.map(({ verifier_metadata: { split } }) => split)).toEqual(["eval", "eval"]);
  const unknownSplit = rowsOf(wikiSearch(), { split: "test" });
  await expect(unknownSplit).rejects.toSatisfy(isConfigError);
  await expect(unknownSplit).rejects.toThrow("Use one of: train, eval");
});

test("a server accepts rows of its seed, and rejects rows of another", async () => {
  await using server = await serve([reverseText()], { port: 0, seed: 7 });
  const seedWith = async (seed: number) => {
    const [row] = await rowsOf(reverseText(), { count: 1, seed });
    return nemoClient(server, "reverse-text").post("seed_session", row);
  };
  expect((await seedWith(7)).status).toBe(200);
  expect((await seedWith(8)).status).toBe(400);
});

test("few-shot messages keep their tool calls", async () => {
  const environment = defineEnvironment({
    name: "few shots",
    dataset: () => [{ prompt: "Now you." }],
    tools: { "add-up": { description: "Adds.", input: z.object({}), execute: () => "2" } },
    respond: () => end(),
    episode: {
      fewShot: [
        { role: "user", content: "1 + 1?" },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "1", type: "function", function: { name: "add-up", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "1", content: "2" },
        { role: "assistant", content: "2." },
      ],
    },
    rubric: { one: () => 1 },
  });
  const [row] = await rowsOf(environment());
  expect(row!.responses_create_params.input).toEqual([
    { role: "user", content: "1 + 1?" },
    { type: "function_call", call_id: "1", name: "add_up", arguments: "{}" },
    { type: "function_call_output", call_id: "1", output: "2" },
    { role: "assistant", content: "2." },
    { role: "user", content: "Now you." },
  ]);
  const names = row!.responses_create_params.tools.map(({ name }) => name);
  expect(names).toEqual(["add_up", "respond"]);
  expect(row!.agent_ref.name).toBe("few_shots_simple_agent");
});
