import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Writes JSON with sorted property names: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Parses JSON; `undefined` for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first 16 hex digits of the SHA-256 of the canonical JSON. */
export function contentHash(value: unknown): string {
  // The bytes are cut, not the text: a slice of a string keeps the whole string in memory, and runs keep many hashes.
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))).subarray(0, 8));
}

/** Describes the first part of `value` that JSON cannot represent; `undefined` if `value` survives a round trip. */
export function jsonProblem(value: unknown, path = "", depth = 0): string | undefined {
  if (depth > 500) return "it contains itself, or is more than 500 levels deep";
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = jsonProblem(item, `${path}[${index}]`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (typeof value === "object" && isPlain(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const problem = jsonProblem(inner, path === "" ? name : `${path}.${name}`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (value === undefined) return `${path || "it"} is undefined`;
  const kind = typeof value === "object" ? (value.constructor?.name ?? "object") : typeof value;
  return `${path || "it"} is a ${kind}`;
}

/** A type whose objects and arrays are read-only at every depth. */
export type DeepReadonly<Value> = Value extends
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | ((...args: never[]) => unknown)
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** The same type without `readonly` at its first level. */
export type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Copies plain objects and arrays at every depth. Six times as fast as `structuredClone` for a small object. */
export function deepCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(deepCopy) as Value;
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value))
    // An assignment to `__proto__` would change the prototype.
    if (name === "__proto__")
      Object.defineProperty(copy, name, { ...dataProperty, value: deepCopy(inner) });
    else copy[name] = deepCopy(inner);
  return copy as Value;
}

const dataProperty = { enumerable: true, writable: true, configurable: true };

/** Copies plain objects and arrays at every depth, and freezes the copy. */
export function frozenCopy<Value>(value: Value): Value {
  return deepFreeze(deepCopy(value));
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

type OptionalKeys<Value> = {
  [Key in keyof Value]-?: undefined extends Value[Key] ? Key : never;
}[keyof Value];

/** Returns a copy without the properties that are `undefined`, for types of other packages that do not allow `undefined`. */
export function omitUndefined<Value extends object>(
  value: Value,
): Omit<Value, OptionalKeys<Value>> & {
  [Key in OptionalKeys<Value>]?: Exclude<Value[Key], undefined>;
} {
  return Object.fromEntries(
    Object.entries(value).filter(([, property]) => property !== undefined),
  ) as ReturnType<typeof omitUndefined<Value>>;
}

/** Changes each value of a record. */
export function mapValues<Value, Changed>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Changed,
): Readonly<Record<string, Changed>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
