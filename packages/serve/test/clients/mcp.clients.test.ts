import doubleCheck from "@envs/double-check";
import { expect, test } from "vitest";

import { serve } from "../../src/index.ts";
import { rewardOf, runScript } from "./python.ts";

test("the Python client of MCP plays an episode", async () => {
  await using server = await serve([doubleCheck()], { port: 0 });
  const replies = ["The answer is 1.", "It is 2."];
  const url = `${server.url}/double-check/mcp?split=train&index=1`;
  const reward = await rewardOf(doubleCheck(), 1, replies);
  expect(await runScript("mcp_client.py", [url, ...replies])).toMatchObject({
    version: "2025-11-25",
    instructions: expect.stringContaining("?"),
    tools: ["respond"],
    session: true,
    last: { _meta: { "envs/episode": { done: true, reward } } },
  });
});
