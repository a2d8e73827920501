import { ConfigError } from "@envs/core";

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
