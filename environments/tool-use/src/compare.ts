import { skills } from "./questions.ts";
import type { Call } from "./skill.ts";

/** Whether two lists have the same calls, each as often, in any order. */
export function areSame(called: readonly Call[], expected: readonly Call[]): boolean {
  return called.length === expected.length && countMatches(called, expected) === expected.length;
}

/** The number of expected calls that were made. Each call matches at most one expected call. */
export function countMatches(called: readonly Call[], expected: readonly Call[]): number {
  const left = called.map(canonical);
  return expected.filter((call) => {
    const index = left.indexOf(canonical(call));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  }).length;
}

/** Equal for calls that do the same: defaults are filled in; case, outer spaces and final punctuation do not matter. */
function canonical({ name, arguments: input }: Call): string {
  const parsed = Object.hasOwn(skills, name) ? skills[name]!.input.safeParse(input) : undefined;
  // A rejected call differs from every accepted call.
  if (parsed?.success !== true) return JSON.stringify([name, "invalid"]);
  const values = Object.entries(parsed.data).map(([key, value]) => [key, normal(value)] as const);
  return JSON.stringify([name, values.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function normal(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value
    .trim()
    .replace(/[.!?]+$/, "")
    .toLowerCase();
}
