import * as z from "zod";

/** A package's name, such as `@envs/tictactoe`. */
export const packageName = z
  .string()
  .min(1)
  .max(214)
  .describe("The package's name; a scope's slash may be written %2F or /");

/** A moment, as ISO 8601 in UTC. */
export const moment = z.iso.datetime();

/** A day in UTC. */
export const day = z.iso.date();

/** Who may read a package. */
export const access = z.enum(["public", "restricted"]);

/** A parameter that a query may have several times. */
export const several = (each: z.ZodString) =>
  z
    .union([each, z.array(each).max(16)])
    .transform((value) => (typeof value === "string" ? [value] : value));

/** A whole number in a query. */
export const number = (least: number, most: number) =>
  z.coerce.number<number | string>().int().min(least).max(most);
