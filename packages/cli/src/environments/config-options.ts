import { ConfigError } from "@envs/core";
import type { AnyDefinition } from "@envs/core/engine";
import type { ArgsDef } from "citty";
import * as z from "zod";

import { kebab } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/errors.ts";

/** An option of an environment's config. */
export interface ConfigOption {
  readonly name: string;
  readonly flag: string;
  /** For display: `number from 0 to 1`, `easy | hard`. */
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

/** The JSON Schema of an environment's config. */
export function configSchema({
  config = z.object({}),
}: Pick<AnyDefinition, "config">): Readonly<Record<string, unknown>> {
  return toJsonSchema("The config", () => {
    const { $schema: _, ...schema } = z.toJSONSchema(config.strict(), { io: "input" });
    return schema;
  });
}

/** The options of an environment's config. */
export function configOptions(definition: Pick<AnyDefinition, "config">): readonly ConfigOption[] {
  return optionsOfSchema(configSchema(definition));
}

/** The options that a config's JSON Schema describes. */
export function optionsOfSchema(
  schema: Readonly<Record<string, unknown>>,
): readonly ConfigOption[] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, property]) => ({
      name,
      flag: kebab(name),
      type: typeText(property),
      isBoolean: property.type === "boolean",
      isText:
        property.type === "string" ||
        property.enum?.every((value) => typeof value === "string") === true,
      default: property.default,
      description: property.description,
    }),
  );
}

/** Converts config options to arguments of a citty command. */
export function configArguments(options: readonly ConfigOption[]): ArgsDef {
  return Object.fromEntries(
    options.map(({ name, flag, type, isBoolean, description, default: byDefault }) => {
      const defaultText = byDefault === undefined ? "" : ` (default ${JSON.stringify(byDefault)})`;
      const text = `${description ?? name}${defaultText}`;
      return [
        flag,
        isBoolean
          ? { type: "boolean", description: text }
          : { type: "string", description: text, valueHint: type },
      ];
    }),
  );
}

/** Merges the JSON of `--config` with single flags. Flags take precedence. */
export function readConfig(
  options: readonly ConfigOption[],
  args: Readonly<Record<string, unknown>>,
  json: string | undefined,
): Readonly<Record<string, unknown>> {
  const config: Record<string, unknown> = { ...parseObject(json) };
  for (const option of options) {
    const value = args[option.flag];
    if (value !== undefined) config[option.name] = parseFlag(option, value);
  }
  return config;
}

function parseObject(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `--config is not a JSON object. Pass an object such as: --config '{"examples": 10}'`,
  );
}

/** Parses the flag of a non-text option as JSON. Zod reports values that do not parse. */
function parseFlag({ isText, isBoolean }: ConfigOption, value: unknown): unknown {
  if (isBoolean || isText || typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function typeText(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(" | ");
  if (schema.type === "array") return `list of ${typeText(schema.items ?? {})}`;
  return `${schema.type === "integer" ? "whole number" : (schema.type ?? "any")}${rangeText(schema)}`;
}

/** Omits the bounds that Zod adds to every integer. */
function rangeText({ minimum = -Infinity, maximum = Infinity }: JsonSchema): string {
  const hasMin = minimum > Number.MIN_SAFE_INTEGER;
  const hasMax = maximum < Number.MAX_SAFE_INTEGER;
  if (hasMin && hasMax) return ` from ${minimum} to ${maximum}`;
  if (hasMin) return ` ≥ ${minimum}`;
  return hasMax ? ` ≤ ${maximum}` : "";
}

/** Runs a conversion of a Zod schema to JSON Schema. Throws a `ConfigError` that names `subject` if Zod cannot convert it. */
export function toJsonSchema<Result>(subject: string, convert: () => Result): Result {
  try {
    return convert();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `${subject} cannot be converted to JSON Schema: ${reason}. Use strings, numbers, booleans, arrays and objects.`,
      [],
      { cause: error },
    );
  }
}
