import type * as z from "zod";

/** How large a manifest may be. Whoever writes one cuts its example to fit; whoever reads one refuses more. */
export const manifestLimits = {
  bytes: 1024 * 1024,
  /** Values in the whole of it, each entry of a list or an object being one. */
  values: 20_000,
  depth: 64,
  messages: 64,
  messageLength: 16_384,
} as const;

/**
 * Refuses a value that would cost much to look at, or that a database cannot keep, before a schema looks at it:
 * schemas descend without a limit, and tell of every entry that is wrong.
 */
export function withinBounds(value: unknown, context: z.core.$RefinementCtx): unknown {
  const problem = outOfBounds(value);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem, input: value });
  return value;
}

function outOfBounds(root: unknown): string | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === "string" && !isStorable(value))
      return "It has text with a NUL character, or with half of a surrogate pair.";
    if (typeof value !== "object" || value === null) continue;
    if (depth === manifestLimits.depth) return `It is more than ${depth} levels deep.`;
    const names = Array.isArray(value) ? [] : Object.keys(value);
    if (names.includes("__proto__")) return "It has a property named __proto__.";
    if (!names.every(isStorable))
      return "It has a property name with a NUL character, or with half of a surrogate pair.";
    const inner: readonly unknown[] = Object.values(value);
    values += inner.length;
    if (values > manifestLimits.values) return `It has more than ${manifestLimits.values} values.`;
    for (const each of inner) open.push({ value: each, depth: depth + 1 });
  }
  return undefined;
}

/** What `jsonb` of PostgreSQL takes. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
