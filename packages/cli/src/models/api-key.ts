import { ConfigError } from "@envs/core";

/** The key that a variable holds, or `undefined` if none was named. Throws a `ConfigError` if it is not set. */
export function keyIn(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const key = process.env[variable];
  if (key !== undefined && key !== "") return key;
  throw new ConfigError(`The variable ${variable} should hold the key, but it is not set.`);
}
