import * as z from "zod";

/** A package's name, such as `@envs/tictactoe`. */
export const packageName = z
  .string()
  .min(1)
  .max(214)
  .describe("The package's name. The slash of a scope may be %2F or /");

/** A time in UTC, as ISO 8601. */
export const timestamp = z.iso.datetime();

/** A date in UTC. */
export const day = z.iso.date();

/** Whether everyone may read a package, or only users with permission. */
export const access = z.enum(["public", "restricted"]);

/** A query parameter that may occur several times. */
export const repeatable = (item: z.ZodString) =>
  z
    .union([item, z.array(item).max(16)])
    .transform((value) => (typeof value === "string" ? [value] : value));

/** A query parameter with a whole number. */
export const integer = (min: number, max: number) =>
  z.coerce.number<number | string>().int().min(min).max(max);
