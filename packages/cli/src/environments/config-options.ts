import type { AnyDefinition } from "@envs/core/engine";
import { kebab, UsageError } from "@envs/terminal";
import type { ArgsDef } from "citty";
import * as z from "zod";

import { inJsonSchema } from "./json-schema.ts";

/** One option of an environment's config, as tables and flags show it. */
export interface ConfigOption {
  readonly name: string;
  readonly flag: string;
  /** In words: `number from 0 to 1`, `easy | hard`. */
  readonly type: string;
  readonly isBoolean: boolean;
  readonly isText: boolean;
  readonly default: unknown;
  readonly description: string | undefined;
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
}

/** The JSON Schema of the config that an environment takes. */
export function configSchema({
  config = z.object({}),
}: Pick<AnyDefinition, "config">): Readonly<Record<string, unknown>> {
  return inJsonSchema("The config", () => {
    const { $schema: _, ...schema } = z.toJSONSchema(config.strict(), { io: "input" });
    return schema;
  });
}

/** The options of an environment's config, read from its zod schema. */
export function configOptions(definition: Pick<AnyDefinition, "config">): readonly ConfigOption[] {
  return optionsOfSchema(configSchema(definition));
}

/** The same, from the JSON Schema of the config. */
export function optionsOfSchema(
  schema: Readonly<Record<string, unknown>>,
): readonly ConfigOption[] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, property]) => ({
      name,
      flag: kebab(name),
      type: inWords(property),
      isBoolean: property.type === "boolean",
      isText:
        property.type === "string" ||
        property.enum?.every((value) => typeof value === "string") === true,
      default: property.default,
      description: property.description,
    }),
  );
}

/** The same options as citty shows them in help. */
export function configArguments(options: readonly ConfigOption[]): ArgsDef {
  return Object.fromEntries(
    options.map(({ name, flag, type, isBoolean, description, default: byDefault }) => {
      const shown = byDefault === undefined ? "" : ` (default ${JSON.stringify(byDefault)})`;
      const text = `${description ?? name}${shown}`;
      return [
        flag,
        isBoolean
          ? { type: "boolean", description: text }
          : { type: "string", description: text, valueHint: type },
      ];
    }),
  );
}

/** The config a person gave: `--config '{…}'` first, single flags over it. */
export function readConfig(
  options: readonly ConfigOption[],
  args: Readonly<Record<string, unknown>>,
  json: string | undefined,
): Readonly<Record<string, unknown>> {
  const config: Record<string, unknown> = { ...parseObject(json) };
  for (const option of options) {
    const given = args[option.flag];
    if (given !== undefined) config[option.name] = readFlag(option, given);
  }
  return config;
}

function parseObject(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below.
  }
  throw new UsageError(
    `--config is not a JSON object. Write, for instance: --config '{"examples": 10}'`,
  );
}

/** Text stays text where the option takes text; elsewhere it is read as JSON, so that zod sees numbers and lists. */
function readFlag({ isText, isBoolean }: ConfigOption, given: unknown): unknown {
  if (isBoolean || isText || typeof given !== "string") return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

function inWords(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(inWords).join(" | ");
  if (schema.type === "array") return `list of ${inWords(schema.items ?? {})}`;
  const { minimum, maximum } = schema;
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const range =
    least !== undefined && most !== undefined
      ? ` from ${least} to ${most}`
      : least !== undefined
        ? ` ≥ ${least}`
        : most !== undefined
          ? ` ≤ ${most}`
          : "";
  return `${schema.type === "integer" ? "whole number" : (schema.type ?? "any")}${range}`;
}
