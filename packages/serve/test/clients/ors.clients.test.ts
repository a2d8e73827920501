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

const over = { text: "The episode is over.", reward: null, finished: true, metadata: null };

async function expectRightRewards(games: readonly Game[]): Promise<void> {
  for (const { index, replies, outputs, after } of games) {
    const reward = await rewardOf(tictactoe(), index, replies);
    expect(outputs.map((output) => output.reward)).toEqual([
      ...replies.slice(1).map(() => null),
      reward,
    ]);
    expect(after).toEqual(over);
  }
}

/** What the oracle calls, and the reward that it gets. */
async function oraclePlay(index: number) {
  let at = 0;
  for await (const { example } of examples(wikiSearch(), { seed: 0, split: "eval" })) {
    if (at++ < index) continue;
    const played = await rollout(wikiSearch(), example, { seed: 0, model: policy("oracle") });
    if (played.status !== "scored") throw new Error(played.error.message);
    const calls = played.completion.flatMap((message) => {
      if (message.role !== "assistant") return [];
      const made = (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => [
        name,
        JSON.parse(input) as unknown,
      ]);
      return made.length > 0 ? made : [["respond", { text: message.content }]];
    });
    return { calls, reward: played.reward };
  }
  throw new Error(`There is no example ${index}.`);
}

describe("the clients of ORS", () => {
  test("list, create, call, ping and delete, with the rewards that the library gives", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const seen = (await runScript("ors_games.py", [server.url, 4])) as {
      readonly games: readonly (Game & Record<"ping" | "deleted", unknown>)[];
    };
    expect(seen).toMatchObject({
      splits: ["train"],
      count: 1000,
      task: { split: "train", index: 1 },
      range: [{ index: 0 }, { index: 1 }],
      tools: [{ name: "respond" }],
      openai: [{ type: "function", name: "respond" }],
      "unknown tool": expect.stringContaining('There is no tool named "fly".'),
      "wrong input": expect.stringContaining("respond takes one argument"),
      "no move": { text: expect.stringContaining("Invalid move."), reward: null, finished: false },
    });
    expect(seen.games).toHaveLength(4);
    await expectRightRewards(seen.games);
    for (const { ping, deleted } of seen.games) {
      expect(ping).toEqual([200, { status: "ok" }]);
      expect(deleted).toMatchObject([410, {}]);
    }
  });

  test("of TRL find each environment of a server by its name", async () => {
    await using server = await serve([tictactoe(), wikiSearch()], { port: 0 });
    const plays = await Promise.all([0, 1, 2].map(oraclePlay));
    const asked = plays.map(({ calls }, index) => ({ index, calls }));
    const seen = (await runScript("ors_openreward.py", [server.url, JSON.stringify(asked)])) as {
      readonly games: readonly Game[];
      readonly searches: readonly { readonly outputs: readonly Output[] }[];
      readonly plays: readonly { readonly outputs: readonly Output[] }[];
    };
    expect(seen).toMatchObject({
      splits: ["train"],
      count: 1000,
      tools: [{ name: "respond" }],
      terminal: null,
      "wiki tools": ["search", "open", "read", "respond"],
      "unknown tool": expect.stringMatching(/^ToolCallError: not_found/u),
      "wrong input": expect.stringMatching(/^ToolCallError: input_validation/u),
      "no such task": expect.stringContaining("has no example 1000000000"),
    });
    await expectRightRewards(seen.games);
    for (const { outputs } of seen.searches) {
      expect(outputs.map(({ reward }) => reward)).toEqual([null, null, null, null, 0]);
      expect(outputs[3]!.text).toMatch("do not fit");
    }
    expect(seen.plays.map(({ outputs }) => outputs.at(-1)!.reward)).toEqual(
      plays.map(({ reward }) => reward),
    );
    expect(plays.map(({ reward }) => reward)).toEqual([1, 1, 1]);
  });

  test("take up streams that were lost, and no move is made twice", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const seen = await runScript("ors_resume.py", [server.url]);
    for (const name of ["ors", "openreward"] as const) {
      const game = (seen as Record<typeof name, Resumed>)[name];
      const moves = game.replies.length;
      expect(game).toMatchObject({ turns: moves, cuts: moves, resumed: moves, calls: 2 * moves });
      expect(game.rewards).toEqual([
        ...game.replies.slice(1).map(() => null),
        await rewardOf(tictactoe(), 0, game.replies),
      ]);
    }
  });
});
