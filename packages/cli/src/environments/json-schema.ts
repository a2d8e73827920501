import { ConfigError } from "@envs/core";

/** Runs what writes a zod schema as JSON Schema. What has no words there is the author's to mend. */
export function inJsonSchema<Written>(what: string, write: () => Written): Written {
  try {
    return write();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `${what} cannot be written as JSON Schema: ${reason}. Build it of strings, numbers, booleans, lists and objects.`,
      [],
      { cause: error },
    );
  }
}
