import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Writes JSON with sorted property names, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A short content hash: the first 16 hex digits of the SHA-256 of the canonical JSON. */
export function contentHash(value: unknown): string {
  // Cut before it is text: a slice of a text keeps the whole of it in memory, and runs keep many hashes.
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))).subarray(0, 8));
}

/** Where and what the first part of `value` is that JSON cannot carry; `undefined` if it survives a round trip. */
export function notJson(value: unknown, path = "", depth = 0): string | undefined {
  if (depth > 500) return "it contains itself, or is more than 500 levels deep";
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = notJson(item, `${path}[${index}]`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (typeof value === "object" && isPlain(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const problem = notJson(inner, path === "" ? name : `${path}.${name}`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (value === undefined) return `${path || "it"} is undefined`;
  const kind = typeof value === "object" ? (value.constructor?.name ?? "object") : typeof value;
  return `${path || "it"} is a ${kind}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
