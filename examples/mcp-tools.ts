// Tools of an MCP server: each rollout has its own server, whose state is scored.
import { fileURLToPath } from "node:url";

import {
  assistantMessage,
  type AssistantMessage,
  callTools,
  defineEnvironment,
  evaluate,
  policy,
} from "@envs/core";
import { connectMcp } from "@envs/mcp";

const server = fileURLToPath(new URL("mcp-server.ts", import.meta.url));

const shopping = defineEnvironment({
  name: "shopping",
  dataset: () => [
    { prompt: "Buy milk and bread.", items: ["milk", "bread"] },
    { prompt: "Buy an apple.", items: ["apple"] },
  ],

  // #region rollout
  setup: async ({ signal }) => ({
    shop: await connectMcp(
      { command: process.execPath, args: [server] },
      { signal, only: ["add"], prefix: "basket_" },
    ),
  }),

  tools: ({ state }) => state.shop.tools,

  rubric: {
    async bought({ state, example }) {
      const contents = await state.shop.call("contents");
      return JSON.stringify(contents) === JSON.stringify({ basket: example.items });
    },
  },
  // #endregion

  policies: {
    shopper: ({ example, turns }) =>
      turns === 0 ? buy(example.items) : assistantMessage("I have everything."),
  },
});

/** A message that calls the tool once for each item. */
function buy(items: readonly string[]): AssistantMessage {
  return callTools(items.map((item) => ["basket_add", { item }]));
}

const { reward, tools } = await evaluate(shopping(), {
  model: policy("shopper"),
  rolloutsPerExample: 1,
});
console.log(`reward ${reward.mean}, ${tools.basket_add?.calls} calls`);
