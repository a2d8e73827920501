import { closest, distance } from "fastest-levenshtein";

import { ConfigError } from "../errors.ts";
import type { AnyDefinition } from "./environment.ts";

/** The keys of an object and of the objects in it. The key `*` stands for names that the author chooses. */
interface Keys {
  readonly [key: string]: Keys;
}

/** A value whose keys are not checked. */
const any: Keys = {};

const info = { description: any, range: any, needs: any, judge: any, enabled: any };
const score = { ...info, weight: any, score: any, group: any };
const seat = { description: any, policy: any, trainable: any, systemPrompt: any, prompt: any };

const known = {
  name: any,
  description: any,
  tags: any,
  config: any,
  requires: any,
  systemPrompt: any,
  dataset: any,
  subModel: { maxCalls: any, maxTokens: any, policy: any },
  setup: any,
  tools: { "*": { description: any, input: any, timeout: any, sequential: any, execute: any } },
  seats: { players: { "*": seat }, turn: any, observe: any },
  workspace: { files: any, save: any },
  respond: any,
  game: { choices: any, board: any },
  episode: { fewShot: any, maxTurns: any, stop: any, toolErrors: any, close: any },
  media: { kinds: any, maxBytes: any },
  passThreshold: any,
  rubric: { "*": score },
  metrics: { "*": score },
  policies: any,
  parts: any,
} satisfies Record<keyof AnyDefinition, Keys>;

/** Throws a `ConfigError` that lists the keys that the engine does not read, each with the key that was meant. */
export function checkKeys(definition: AnyDefinition): void {
  const hints = unknownKeys(definition, known, "");
  if (hints.length === 0) return;
  const lines = hints.map((hint) => `${definition.name} has the unknown key ${hint}`);
  throw new ConfigError(lines.join("\n"));
}

/** The unknown keys of an object and of the objects in it, each with a hint. `path` is the object's, such as `seats.`. */
function unknownKeys(value: unknown, keys: Keys, path: string): readonly string[] {
  if (keys === any || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, nested]) => {
    const nestedKeys = Object.hasOwn(keys, key) ? keys[key] : keys["*"];
    if (nestedKeys !== undefined) return unknownKeys(nested, nestedKeys, `${path}${key}.`);
    return nested === undefined ? [] : [`${path}${key}. ${hintFor(key, keys, path)}`];
  });
}

function hintFor(key: string, keys: Keys, path: string): string {
  const siblings = Object.keys(keys).map((sibling) => `${path}${sibling}`);
  const meant = mostSimilar(key, [...siblings, ...pathsIn(known)]);
  return meant === undefined ? `Its keys are ${siblings.join(", ")}.` : `Write ${meant} instead.`;
}

/** Returns the path whose last key is most like `key`; of equal ones the first. */
function mostSimilar(key: string, paths: readonly string[]): string | undefined {
  const names = paths.map((path) => path.slice(path.lastIndexOf(".") + 1));
  const name = closest(key, names);
  if (distance(key, name) > Math.max(2, key.length / 3)) return undefined;
  return paths[names.indexOf(name)];
}

/** The paths of all keys, except in objects whose names the author chooses. */
function pathsIn(keys: Keys, prefix = ""): readonly string[] {
  const names = Object.keys(keys).filter((name) => name !== "*");
  const nested = names.flatMap((name) => pathsIn(keys[name]!, `${prefix}${name}.`));
  return [...names.map((name) => `${prefix}${name}`), ...nested];
}
