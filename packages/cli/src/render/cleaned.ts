import { clean } from "./wrap.ts";

/** A JSON value with every text in it made safe for a terminal, names of properties too: whatever a stranger wrote. */
export function cleaned<Value>(value: Value): Value {
  return cleanedValue(value) as Value;
}

function cleanedValue(value: unknown): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map(cleanedValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [clean(name), cleanedValue(inner)]),
  );
}
