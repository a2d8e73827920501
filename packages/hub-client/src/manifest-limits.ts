import type * as z from "zod";

/** The maximum size of a manifest. `envs build` shortens the example to fit; readers reject larger manifests. */
export const manifestLimits = {
  bytes: 1024 * 1024,
  /** The maximum number of values in the document. Each entry of a list or an object is one value. */
  values: 20_000,
  depth: 64,
  messages: 64,
  messageLength: 16_384,
} as const;

/**
 * Rejects values that are expensive to validate, or that PostgreSQL cannot store. Runs before the schema, since zod
 * descends to any depth and collects an issue for each invalid entry.
 */
export function checkManifestLimits(value: unknown, context: z.core.$RefinementCtx): unknown {
  const message = limitProblem(value);
  if (message !== undefined) context.addIssue({ code: "custom", message, input: value });
  return value;
}

function limitProblem(root: unknown): string | undefined {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  let values = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next;
    if (typeof value === "string" && !isStorable(value))
      return "It has a text with a NUL character or an unpaired surrogate.";
    if (typeof value !== "object" || value === null) continue;
    if (depth === manifestLimits.depth) return `It has more than ${depth} levels.`;
    const names = Array.isArray(value) ? [] : Object.keys(value);
    if (names.includes("__proto__")) return "It has a property named __proto__.";
    if (!names.every(isStorable))
      return "It has a property name with a NUL character or an unpaired surrogate.";
    const children: readonly unknown[] = Object.values(value);
    values += children.length;
    if (values > manifestLimits.values) return `It has more than ${manifestLimits.values} values.`;
    for (const child of children) stack.push({ value: child, depth: depth + 1 });
  }
  return undefined;
}

/** Whether PostgreSQL's `jsonb` accepts the text. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
