import { policy, rollout } from "@envs/core";
import { examples } from "@envs/core/engine";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { serve } from "../../src/index.ts";
import { rewardOf, runScript } from "./python.ts";

interface Output {
  readonly text: string;
  readonly reward: number | null;
  readonly finished: boolean;
}

interface Game {
  readonly index: number;
  readonly replies: readonly string[];
  readonly outputs: readonly Output[];
  readonly after: Output;
}

interface Resumed {
  readonly replies: readonly string[];
  readonly rewards: readonly (number | null)[];
}

const resultAfterEnd = {
  text: "The episode is over.",
  reward: null,
  finished: true,
  metadata: null,
};

async function expectRewardsOfCore(games: readonly Game[]): Promise<void> {
  for (const { index, replies, outputs, after } of games) {
    const reward = await rewardOf(tictactoe(), index, replies);
    expect(outputs.map((output) => output.reward)).toEqual([
      ...replies.slice(1).map(() => null),
      reward,
    ]);
    expect(after).toEqual(resultAfterEnd);
  }
}

/** The tool calls of the oracle policy, and its reward. */
async function playOracle(index: number) {
  let at = 0;
  for await (const { example } of examples(wikiSearch(), { seed: 0, split: "eval" })) {
    if (at++ < index) continue;
    const result = await rollout(wikiSearch(), example, { seed: 0, model: policy("oracle") });
    if (result.status !== "scored") throw new Error(result.error.message);
    const calls = result.completion.flatMap((message) => {
      if (message.role !== "assistant") return [];
      const toolCalls = (message.tool_calls ?? []).map(
        ({ function: { name, arguments: input } }) => [name, JSON.parse(input) as unknown],
      );
      return toolCalls.length > 0 ? toolCalls : [["respond", { text: message.content }]];
    });
    return { calls, reward: result.reward };
  }
  throw new Error(`There is no example ${index}.`);
}

describe("ORS clients", () => {
  test("list, create, call, ping and delete, with the rewards of core", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const results = (await runScript("ors_games.py", [server.url, 4])) as {
      readonly games: readonly (Game & Record<"ping" | "deleted", unknown>)[];
    };
    expect(results).toMatchObject({
      splits: ["train"],
      count: 1000,
      task: { split: "train", index: 1 },
      range: [{ index: 0 }, { index: 1 }],
      tools: [{ name: "respond" }],
      openai: [{ type: "function", name: "respond" }],
      "unknown tool": expect.stringContaining('There is no tool named "fly".'),
      "invalid input": expect.stringContaining("respond takes one argument"),
      "reply without a move": {
        text: expect.stringContaining("Invalid move."),
        reward: null,
        finished: false,
      },
    });
    expect(results.games).toHaveLength(4);
    await expectRewardsOfCore(results.games);
    for (const { ping, deleted } of results.games) {
      expect(ping).toEqual([200, { status: "ok" }]);
      expect(deleted).toMatchObject([410, {}]);
    }
  });

  test("of TRL select environments by name", async () => {
    await using server = await serve([tictactoe(), wikiSearch()], { port: 0 });
    const plays = await Promise.all([0, 1, 2].map(playOracle));
    const requests = plays.map(({ calls }, index) => ({ index, calls }));
    const results = (await runScript("ors_openreward.py", [
      server.url,
      JSON.stringify(requests),
    ])) as {
      readonly games: readonly Game[];
      readonly searches: readonly { readonly outputs: readonly Output[] }[];
      readonly plays: readonly { readonly outputs: readonly Output[] }[];
    };
    expect(results).toMatchObject({
      splits: ["train"],
      count: 1000,
      tools: [{ name: "respond" }],
      terminal: null,
      "wiki tools": ["search", "open", "read", "respond"],
      "unknown tool": expect.stringMatching(/^ToolCallError: not_found/u),
      "invalid input": expect.stringMatching(/^ToolCallError: input_validation/u),
      "unknown task": expect.stringContaining("has no example 1000000000"),
    });
    await expectRewardsOfCore(results.games);
    for (const { outputs } of results.searches) {
      expect(outputs.map(({ reward }) => reward)).toEqual([null, null, null, null, 0]);
      expect(outputs[3]!.text).toMatch("do not fit");
    }
    expect(results.plays.map(({ outputs }) => outputs.at(-1)!.reward)).toEqual(
      plays.map(({ reward }) => reward),
    );
    expect(plays.map(({ reward }) => reward)).toEqual([1, 1, 1]);
  });

  test("resume broken streams without repeating moves", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const results = await runScript("ors_resume.py", [server.url]);
    for (const name of ["ors", "openreward"] as const) {
      const game = (results as Record<typeof name, Resumed>)[name];
      const moves = game.replies.length;
      expect(game).toMatchObject({ turns: moves, cuts: moves, resumed: moves, calls: 2 * moves });
      expect(game.rewards).toEqual([
        ...game.replies.slice(1).map(() => null),
        await rewardOf(tictactoe(), 0, game.replies),
      ]);
    }
  });
});
