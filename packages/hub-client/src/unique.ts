import type * as z from "zod";

/** A list whose entries differ in `key`. */
export function unique<Entry, Schema extends z.ZodType<readonly Entry[]>>(
  list: Schema,
  key: (entry: z.output<Schema>[number]) => unknown,
): Schema {
  return list.refine(
    (entries) => new Set(entries.map(key)).size === entries.length,
    "has one entry twice",
  );
}
