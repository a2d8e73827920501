import type { EnvironmentManifest } from "../src/manifest.ts";

/** A manifest with all fields. */
export const validManifest: EnvironmentManifest = {
  schema: 1,
  name: "guess",
  title: "Guess the number",
  description: "Guess a number.\nThe reply is higher or lower.",
  package: { name: "@you/guess", version: "1.2.3-beta.1+build.7" },
  tags: ["game", "größer"],
  kind: "tools",
  config: {
    type: "object",
    properties: {
      high: { type: "integer", minimum: 1, default: 100, description: "The highest number" },
      nested: { $ref: "#/$defs/nested" },
    },
    $defs: { nested: { type: "object", properties: { deeper: { $ref: "#/$defs/nested" } } } },
    additionalProperties: false,
  },
  scores: [
    { name: "right", description: "1 if guessed", weight: 1, range: [0, 1], isGroup: false },
    { name: "fastest", weight: 0.5, isGroup: true },
  ],
  tools: [
    {
      name: "hint",
      description: "Ask for a hint",
      input: { type: "object", properties: {}, required: [] },
    },
  ],
  splits: [
    { name: "train", size: null },
    { name: "eval", size: 100 },
  ],
  policies: ["halving", "random"],
  opponent: "You choose the number.",
  maxTurns: 8,
  example: {
    policy: "halving",
    reward: 1.5,
    messages: [
      { role: "system", content: "Guess." },
      { role: "user", content: "From 1 to 100." },
      {
        role: "assistant",
        content: "",
        reasoning_content: "Half.",
        tool_calls: [{ id: "1", type: "function", function: { name: "hint", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "1", content: "\u001B[1mhigher" },
    ],
  },
  core: "0.1.0",
  runtimes: ["node", "browser"],
  contentHash: `sha256-${"0".repeat(64)}`,
};
