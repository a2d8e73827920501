import type { JsonValue } from "@vitest-evals/core";

/** The values that vitest's JSON report can contain. */
export type Json = JsonValue;
export type JsonObject = Record<string, Json>;

/** A copy of a value as JSON. Properties that are `undefined` are left out. */
export function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
