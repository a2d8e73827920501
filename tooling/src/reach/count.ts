import { type Need, needs, type PythonPackage } from "./packages.ts";

/** The number of packages that can be written with a capability and those above it. */
export interface Step {
  readonly need: Need | undefined;
  readonly count: number;
}

/** The packages whose needs are all covered. */
export function reachable(
  packages: readonly PythonPackage[],
  covered: readonly Need[],
): readonly PythonPackage[] {
  return packages.filter((entry) => entry.needs.every((need) => covered.includes(need)));
}

/** Counts the packages that can be written with text alone, then with each capability added. */
export function countSteps(
  packages: readonly PythonPackage[],
  covered: readonly Need[],
): readonly Step[] {
  const count = (length: number): number => reachable(packages, covered.slice(0, length)).length;
  return [
    { need: undefined, count: count(0) },
    ...covered.map((need, index) => ({ need, count: count(index + 1) })),
  ];
}

/** Counts, for each missing need, the packages that have it, and those that would be reachable with it alone. */
export function countMissing(
  packages: readonly PythonPackage[],
  covered: readonly Need[],
): readonly { readonly need: Need; readonly wanted: number; readonly gained: number }[] {
  const now = reachable(packages, covered).length;
  return needs
    .filter((need) => !covered.includes(need))
    .map((need) => ({
      need,
      wanted: packages.filter((entry) => entry.needs.includes(need)).length,
      gained: reachable(packages, [...covered, need]).length - now,
    }));
}
