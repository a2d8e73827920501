import type { KeyedExample } from "@envs/core/engine";

import type { Field, Fields, FieldValue } from "../where/where.ts";

/** The fields of examples for `--select`: `key`, `index`, and `example.…` for each text, number or boolean in one of them. */
export function fieldsOfExamples(examples: readonly KeyedExample[]): Fields {
  const fields = new Map<string, Field>([
    ["key", { type: "text" }],
    ["index", { type: "number" }],
  ]);
  for (const { example } of examples)
    for (const [name, value] of leaves(example, "example")) {
      const isText = typeof value === "string" || fields.get(name)?.type === "text";
      fields.set(name, { type: isText ? "text" : "number" });
    }
  return fields;
}

/** Reads the fields of an example. In a text field, a number is the text of its digits. */
export function exampleFields(
  { example, key, index }: KeyedExample,
  fields: Fields,
): (name: string) => FieldValue {
  const values = new Map(leaves(example, "example"));
  return (name) => {
    if (name === "key") return key;
    if (name === "index") return index;
    const value = values.get(name);
    if (value === undefined) return undefined;
    return fields.get(name)?.type === "text" ? String(value) : Number(value);
  };
}

type Leaf = readonly [name: string, value: string | number | boolean];

function leaves(value: unknown, name: string): readonly Leaf[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return [[name, value]];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, `${name}.${key}`));
}
