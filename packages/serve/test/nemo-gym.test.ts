import { textOf } from "@envs/core";
import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { rowWithOutput, call, message, nemoClient, output, rowOf } from "./support/nemo-client.ts";
import { playCore } from "./support/play-core.ts";

describe("a session in Gymnasium style", () => {
  test("returns observations, and the reward only at the end", async () => {
    await using server = await serve([doubleCheck()], { port: 0 });
    const agent = nemoClient(server, "double-check");
    const row = rowOf(3);
    expect((await agent.post("reset", row)).json).toEqual({
      observation: null,
      info: { supports_explicit_close: true },
    });
    const step = (text: string) => agent.post("step", rowWithOutput(row, message(text)));
    expect((await step("\\boxed{1}")).json).toEqual({
      observation: "Are you sure?",
      reward: 0,
      terminated: false,
      truncated: false,
      info: { tool_outputs: [], supports_explicit_close: true },
    });
    const { reward, scores } = await playCore(doubleCheck(), { index: 3 }, [
      "\\boxed{1}",
      "\\boxed{1}",
    ]);
    expect((await step("\\boxed{1}")).json).toEqual({
      observation: null,
      reward,
      terminated: true,
      truncated: false,
      info: { tool_outputs: [], scores, stop_reason: "end", supports_explicit_close: true },
    });
    expect((await step("More.")).json).toMatchObject({ reward: 0, terminated: true });
    expect((await agent.post("close")).json).toEqual({});
  });

  test("answers several calls of one turn, including invalid ones, like core", async () => {
    await using server = await serve([wikiSearch()], { port: 0 });
    const agent = nemoClient(server, "wiki-search");
    const row = rowOf(1, { split: "eval" });
    await agent.post("reset", row);
    const calls = [
      call("a", "search", { query: "Paris" }),
      call("b", "missing", {}),
      call("c", "open", "{broken"),
    ];
    const core = await playCore(wikiSearch(), { index: 1, split: "eval" }, [
      {
        role: "assistant",
        content: "I look.",
        tool_calls: calls.map((item) => ({
          id: item.call_id as string,
          type: "function" as const,
          function: { name: item.name as string, arguments: item.arguments as string },
        })),
      },
      "<answer>Paris</answer>",
    ]);
    const first = await agent.post("step", rowWithOutput(row, message("I look."), ...calls));
    const tool_outputs = core.completion
      .filter((reply) => reply.role === "tool")
      .map(({ tool_call_id: call_id, content }) => ({ call_id, output: textOf(content) }));
    expect(first.json).toMatchObject({ observation: null, reward: 0, info: { tool_outputs } });
    expect(tool_outputs).toHaveLength(3);
    // Agents may send all turns since the prompt; only the last one counts.
    const history = [...calls, ...tool_outputs.map((item) => output(item.call_id, item.output))];
    const last = await agent.post(
      "step",
      rowWithOutput(row, ...history, message("<answer>Paris</answer>")),
    );
    expect(last.json).toMatchObject({
      reward: core.reward,
      terminated: true,
      info: { scores: core.scores },
    });
  });

  test("accepts replies by the tool respond, and answers its calls", async () => {
    await using server = await serve([doubleCheck()], { port: 0 });
    const agent = nemoClient(server, "double-check");
    await agent.post("reset", rowOf(3));
    const step = (...items: Parameters<typeof rowWithOutput>[1][]) =>
      agent.post("step", rowWithOutput(rowOf(3), ...items));
    expect((await step(call("a", "respond", { text: "\\boxed{1}" }))).json).toMatchObject({
      observation: null,
      info: { tool_outputs: [{ call_id: "a", output: "Are you sure?" }] },
    });
    const last = await step(call("b", "respond", "{broken"), call("c", "respond", { text: "2" }));
    expect(last.json).toMatchObject({
      terminated: true,
      info: {
        tool_outputs: [
          { call_id: "b", output: "The episode is over." },
          { call_id: "c", output: "The episode is over." },
        ],
      },
    });
    const after = await step(call("d", "respond", { text: "2" }));
    expect(after.json).toMatchObject({
      reward: 0,
      info: { tool_outputs: [{ call_id: "d", output: "The episode is over." }] },
    });
  });

  test("returns the prompt if the row does not have one", async () => {
    await using server = await serve([reverseText()], { port: 0 });
    const agent = nemoClient(server, "reverse-text");
    const response = await agent.post("reset", { verifier_metadata: { index: 0 } });
    const { example } = await playCore(reverseText(), { index: 0 }, [""]);
    expect(response.json.observation).toMatch(/^Reverse the text/u);
    expect((response.json.observation as string).endsWith(example.prompt as string)).toBe(true);
  });

  test("is truncated if it reaches the turn limit", async () => {
    await using server = await serve([wikiSearch({ maxTurns: 1 })], { port: 0 });
    const agent = nemoClient(server, "wiki-search");
    await agent.post("reset", rowOf(0));
    const { json } = await agent.post(
      "step",
      rowWithOutput(rowOf(0), call("a", "search", { query: "x" })),
    );
    expect(json).toMatchObject({
      terminated: false,
      truncated: true,
      info: { stop_reason: "turns" },
    });
  });

  test("is freed when it closes, and when its episode ends", async () => {
    await using server = await serve([reverseText()], { port: 0, sessions: 1 });
    for (const isPlayed of [false, true, false, true]) {
      const agent = nemoClient(server, "reverse-text");
      expect((await agent.post("reset", rowOf(0))).status).toBe(200);
      if (isPlayed) await agent.post("step", rowWithOutput(rowOf(0), message("x")));
      else {
        expect((await agent.post("close")).status).toBe(200);
        expect((await agent.post("close")).status).toBe(200);
        expect((await agent.post("step", rowWithOutput(rowOf(0), message("x")))).status).toBe(410);
      }
    }
  });
});
