import type { ScoreDescription, ToolSpec } from "@envs/core/engine";

import type { Served } from "../context.ts";
import type { ServedSplit } from "../host/task.ts";

/** What the page knows of an environment. JSON. */
export interface Playable {
  readonly name: string;
  readonly description: string;
  readonly version: string | undefined;
  readonly maxTurns: number;
  readonly splits: readonly ServedSplit[];
  readonly scores: readonly ScoreDescription[];
  /** None: the player only writes text. */
  readonly tools: readonly ToolSpec[];
}

/** What the page is told of an environment. */
export function playable({ host: { card }, tools }: Served): Playable {
  const { name, description, version, maxTurns, splits, scores } = card;
  const own = card.tools.length === 0 ? [] : tools.specs;
  return { name, description, version, maxTurns, splits, scores, tools: own };
}
