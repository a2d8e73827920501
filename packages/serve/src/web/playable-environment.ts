import type { ScoreDescription, ToolSpec } from "@envs/core/engine";

import type { ServedEnvironment } from "../context.ts";
import type { ServedSplit } from "../host/tasks.ts";

/** The page's description of an environment. JSON. */
export interface PlayableEnvironment {
  readonly name: string;
  readonly description: string;
  readonly version: string | undefined;
  readonly maxTurns: number;
  readonly splits: readonly ServedSplit[];
  readonly scores: readonly ScoreDescription[];
  /** Empty if the player only writes text. */
  readonly tools: readonly ToolSpec[];
}

export function playableEnvironment({ host, tools }: ServedEnvironment): PlayableEnvironment {
  const { name, description, version, maxTurns, splits, scores } = host.card;
  const specs = host.card.tools.length === 0 ? [] : tools.specs;
  return { name, description, version, maxTurns, splits, scores, tools: specs };
}
