import * as z from "zod";

import { ConfigError } from "../errors.ts";

/** Validates a config and fills in the defaults. Rejects unknown options, so that a misspelt one is not ignored. */
export function parseConfig(
  environment: string,
  schema: z.ZodObject | undefined,
  input: unknown,
): Readonly<Record<string, unknown>> {
  const parsed = (schema ?? z.object({})).strict().safeParse(input);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    `The config of ${environment} is not valid:`,
    parsed.error.issues.map(({ path, message }) => ({
      path: path.map((part) => (typeof part === "symbol" ? String(part) : part)),
      message,
    })),
  );
}

/** Resolves a property of a definition that is either a value or a function of the config. */
export function resolveSetting<Value>(
  setting: Value | ((context: { readonly config: never }) => Value) | undefined,
  config: unknown,
): Value | undefined {
  return typeof setting === "function"
    ? (setting as (context: { readonly config: unknown }) => Value)({ config })
    : setting;
}
