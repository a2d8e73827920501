import {
  describeScores,
  maxTurnsOf,
  type ScoreDescription,
  splitsOf,
  type ToolSpec,
  toolSpecsOf,
} from "@envs/core/engine";

import { type ConfigOption, configOptions } from "./config-options.ts";
import { inJsonSchema } from "./json-schema.ts";
import type { LoadedEnvironment } from "./load-environment.ts";

/** What an environment says of itself. */
export interface Description {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly kind: "single-turn" | "multi-turn" | "tools";
  readonly config: readonly ConfigOption[];
  readonly scores: readonly ScoreDescription[];
  readonly tools: readonly ToolSpec[];
  readonly splits: readonly string[];
  readonly policies: readonly string[];
  /** What someone plays who takes the other side. */
  readonly opponent: string | undefined;
  readonly maxTurns: number;
}

/** Describes an environment with its default config. */
export async function describe({ factory, version }: LoadedEnvironment): Promise<Description> {
  const environment = factory();
  const { definition } = environment;
  const { name, description, tags = [], respond, tools, policies = {}, opponent } = definition;
  return {
    name,
    version,
    description,
    tags,
    kind: tools !== undefined ? "tools" : respond !== undefined ? "multi-turn" : "single-turn",
    config: configOptions(definition),
    scores: describeScores(definition),
    tools: inJsonSchema(`The input of a tool of ${name}`, () => toolSpecsOf(environment)),
    splits: await splitsOf(environment),
    policies: Object.keys(policies),
    opponent,
    maxTurns: maxTurnsOf(environment),
  };
}
