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
  tools: {
    "*": { description: any, input: any, timeout: any, sequential: any, execute: any },
  },
  seats: { players: { "*": seat }, turn: any, observe: any },
  workspace: { files: any, save: any },
  respond: any,
  game: { choices: any, board: any },
  episode: { fewShot: any, maxTurns: any, stop: any, toolErrors: any, close: any },
  media: { kinds: any, maxBytes: any },
  rubric: { "*": score },
  metrics: { "*": score },
  policies: any,
  parts: any,
} satisfies Record<keyof AnyDefinition, Keys>;

/** Throws a `ConfigError` for a key that the engine does not read, and names the key that was meant. */
export function checkKeys(definition: AnyDefinition): void {
  check(definition, known, { environment: definition.name, path: "" });
}

interface Place {
  readonly environment: string;
  /** The path of the object, such as `seats.`. */
  readonly path: string;
}

function check(value: unknown, keys: Keys, { environment, path }: Place): void {
  if (keys === any || typeof value !== "object" || value === null) return;
  for (const [key, nested] of Object.entries(value)) {
    const nestedKeys = Object.hasOwn(keys, key) ? keys[key] : keys["*"];
    if (nestedKeys !== undefined)
      check(nested, nestedKeys, { environment, path: `${path}${key}.` });
    else if (nested !== undefined) throw unknownKey(key, keys, { environment, path });
  }
}

function unknownKey(key: string, keys: Keys, { environment, path }: Place): ConfigError {
  const siblings = Object.keys(keys).map((sibling) => `${path}${sibling}`);
  const meant = mostSimilar(key, [...siblings, ...pathsIn(known)]);
  const hint =
    meant === undefined ? `Its keys are ${siblings.join(", ")}.` : `Write ${meant} instead.`;
  return new ConfigError(`${environment} has the unknown key ${path}${key}. ${hint}`);
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
