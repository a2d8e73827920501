import type { EnvironmentManifest } from "@envs/hub-client";

/** A manifest of the package `@envs/chess@1.0.0`. */
export function environmentManifest(contentHash: string): EnvironmentManifest {
  return {
    schema: 1,
    name: "chess",
    package: { name: "@envs/chess", version: "1.0.0" },
    tags: ["game"],
    kind: "multi-turn",
    config: { type: "object", properties: {} },
    scores: [{ name: "win", weight: 1, isGroup: false }],
    tools: [],
    splits: [{ name: null, size: null }],
    policies: [],
    maxTurns: 9,
    example: { messages: [{ role: "user", content: "Your move." }] },
    core: "0.1.0",
    runtimes: ["node"],
    contentHash,
  };
}
