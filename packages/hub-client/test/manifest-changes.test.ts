import { expect, test } from "vitest";

import { type ComparedManifest, manifestChanges } from "../src/manifest-changes.ts";

const manifest: ComparedManifest = {
  kind: "multi-turn",
  maxTurns: 8,
  core: "1.0.0",
  config: {
    type: "object",
    properties: {
      turns: { type: "integer", default: 8, minimum: 1, maximum: 10 },
      opponent: { type: "string", enum: ["weak", "strong"] },
    },
  },
  scores: [{ name: "win", weight: 1, range: [0, 1], isGroup: false }],
  tools: [{ name: "look", description: "Look", input: { type: "object" } }],
  splits: [{ name: null, size: 10 }],
};

const option = (name: string, schema: unknown, fields: object = {}): ComparedManifest => ({
  ...manifest,
  config: {
    ...manifest.config,
    properties: { ...(manifest.config["properties"] as object), [name]: schema },
    ...fields,
  },
});

test("finds no change in an equal manifest, whatever the order of its properties", () => {
  const { input: _, ...tool } = manifest.tools[0] ?? { input: {} };
  const same = { ...manifest, tools: [{ input: { type: "object" }, ...tool }] } as ComparedManifest;
  expect(manifestChanges(manifest, same)).toEqual([]);
});

test.each<[string, ComparedManifest, string]>([
  ["a new option", option("size", { type: "integer" }), "option size added "],
  [
    "a lower maximum",
    option("turns", turns({ maximum: 5 })),
    "option turns narrowed maximum 10 → 5",
  ],
  ["a lower minimum", option("turns", turns({ minimum: 0 })), "option turns widened minimum 1 → 0"],
  [
    "a maximum that Zod adds to every integer",
    option("turns", turns({ maximum: 9_007_199_254_740_991 })),
    "option turns widened maximum 10 → none",
  ],
  ["another default", option("turns", turns({ default: 9 })), "option turns changed default 8 → 9"],
  [
    "another type",
    option("turns", turns({ type: "number" })),
    "option turns changed type integer → number",
  ],
  [
    "a missing choice",
    option("opponent", { type: "string", enum: ["weak"] }),
    "option opponent narrowed without strong",
  ],
  [
    "a further choice",
    option("opponent", { type: "string", enum: ["weak", "strong", "human"] }),
    "option opponent widened also human",
  ],
  [
    "an option that becomes required",
    { ...manifest, config: { ...manifest.config, required: ["turns"] } },
    "option turns narrowed required",
  ],
  [
    "another weight",
    { ...manifest, scores: [{ name: "win", weight: 0.5, range: [0, 1], isGroup: false }] },
    "score win changed weight 1 → 0.5",
  ],
  ["a removed score", { ...manifest, scores: [] }, "score win removed "],
  [
    "another schema of a tool",
    {
      ...manifest,
      tools: [{ name: "look", description: "Look", input: { type: "object", a: 1 } }],
    },
    "tool look changed input schema",
  ],
  [
    "another size",
    { ...manifest, splits: [{ name: null, size: 20 }] },
    "split all changed size 10 → 20",
  ],
  [
    "the budget of a new sub-model",
    { ...manifest, subModel: { maxCalls: 50, maxTokens: 9000 } },
    "environment subModel changed none → at most 50 calls and 9,000 tokens",
  ],
  ["more turns", { ...manifest, maxTurns: 12 }, "environment maxTurns changed 8 → 12"],
])("reports %s", (_what, after, expected) => {
  const changes = manifestChanges(manifest, after).map(
    ({ subject, name, kind, detail }) => `${subject} ${name} ${kind} ${detail}`,
  );
  expect(changes).toEqual([expected]);
});

function turns(fields: object): object {
  return { type: "integer", default: 8, minimum: 1, maximum: 10, ...fields };
}
