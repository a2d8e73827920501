import { ConfigError } from "@envs/core";

/** Reads an API key from an environment variable. Returns `undefined` if `variable` is; throws a `ConfigError` if it is not set. */
export function apiKeyFrom(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const key = process.env[variable];
  if (key !== undefined && key !== "") return key;
  throw new ConfigError(
    `The environment variable ${variable} is not set. Set it to the API key, or pass another name with --api-key-var.`,
  );
}
