import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { serve } from "../../src/index.ts";
import { rewardOf, runCommand, runScript } from "./python.ts";

const sleepy = new URL("../fixtures/sleepy.ts", import.meta.url).href;

describe("OpenEnv's own client", () => {
  test.each([
    ["with text actions", tictactoe()],
    ["with tools", wikiSearch()],
  ])("validates an environment %s", async (_, environment) => {
    await using server = await serve([environment], { port: 0 });
    const { code, output } = await runCommand("openenv", [
      "validate",
      "--url",
      server.url,
      "--json",
      "--timeout",
      "20",
    ]);
    const { criteria, ...report } = JSON.parse(output) as {
      readonly criteria: readonly { readonly passed: boolean }[];
    };
    expect(criteria).toHaveLength(6);
    expect(criteria.filter(({ passed }) => !passed)).toEqual([]);
    expect({ code, ...report }).toMatchObject({ code: 0, passed: true, mode: "simulation" });
  });

  test("plays games to their end, with the rewards of core", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const { games } = (await runScript("openenv_games.py", [server.url, 6])) as {
      readonly games: readonly {
        readonly index: number;
        readonly replies: readonly string[];
        readonly rewards: readonly (number | null)[];
        readonly after: unknown;
        readonly state: unknown;
      }[];
    };
    expect(games).toHaveLength(6);
    for (const { index, replies, rewards, after, state } of games) {
      const reward = await rewardOf(tictactoe(), index, replies);
      expect(rewards).toEqual([...replies.map(() => null), reward]);
      expect(after).toBeNull();
      expect(state).toMatchObject({
        episode_id: `game-${index}`,
        step_count: replies.length,
        done: true,
        reward,
      });
    }
    expect(new Set(games.map(({ rewards }) => rewards.at(-1))).size).toBeGreaterThan(1);
  });

  test("calls the environment's tools and respond", async () => {
    await using server = await serve([tictactoe(), wikiSearch()], { port: 0 });
    const results = await runScript("openenv_tools.py", [server.url]);
    expect(results).toMatchObject({
      tictactoe: {
        tools: ["respond"],
        rewards: [null, 1.2],
        text: expect.stringContaining("You win."),
        steps: 3,
      },
      "wiki-search": {
        tools: ["search", "open", "read", "respond"],
        system: expect.stringContaining("encyclopedia"),
        question: expect.stringContaining("?"),
        search: expect.stringContaining("[paris-ile-de-france-france]"),
        rejected: expect.stringContaining('There is no tool named "fly".'),
        unknown: "tool_not_found",
        reward: 0,
        done: true,
      },
    });
  });

  test("receives all error codes", async () => {
    await using server = await serve([tictactoe()], { port: 0, sessions: 5 });
    await using sleepyServer = await serve([{ module: sleepy }], {
      port: 0,
      processes: 1,
      stepTimeout: 3000,
    });
    const results = await runScript("openenv_errors.py", [server.url, 5, sleepyServer.url]);
    expect(results).toEqual({
      "invalid JSON": expect.stringContaining("INVALID_JSON"),
      "unknown type": expect.stringContaining("UNKNOWN_TYPE"),
      "step before reset": expect.stringContaining("Reset first. (code: EXECUTION_ERROR)"),
      "unknown key": expect.stringContaining("(code: VALIDATION_ERROR)"),
      "unknown example": expect.stringContaining("(code: EXECUTION_ERROR)"),
      "invalid action": expect.stringContaining("(code: VALIDATION_ERROR)"),
      "done after a valid step": false,
      "unknown session": expect.stringContaining("(code: SESSION_ERROR)"),
      "session limit": expect.stringContaining("(code: CAPACITY_REACHED)"),
      "first example": "Whole.",
      "failing setup": expect.stringContaining("(code: FACTORY_ERROR)"),
      "after the failure": "Whole.",
    });
  });
});
