import * as z from "zod";

/** The JSON Schema of an object. It refers to nothing outside itself, so that reading it fetches nothing. */
export const jsonSchema = z
  .record(z.string().max(200), z.unknown())
  .refine(({ type }) => type === "object", { path: ["type"], error: "must be object" })
  .refine((schema) => !refersOutside(schema), "has a $ref to another document");

/** Terminates: what is read of a manifest is a tree, of bounded depth. */
function refersOutside(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      (/^\$(?:dynamicR|r)ef$/.test(name) && typeof inner === "string" && !inner.startsWith("#")) ||
      refersOutside(inner),
  );
}
