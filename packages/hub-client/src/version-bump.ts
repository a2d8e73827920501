import type { ManifestChange } from "./manifest-changes.ts";

/** The part of a version that a change raises. */
export type VersionBump = "patch" | "minor" | "major";

/** The bump that the changes of an environment require, and why. */
export interface RequiredBump {
  readonly bump: VersionBump;
  readonly reasons: readonly string[];
}

const order: readonly VersionBump[] = ["patch", "minor", "major"];

/**
 * The bump that users expect: a patch keeps the rewards of every reply, a minor version adds examples, options or metrics, and a
 * major version changes rewards, so that numbers of the two versions cannot be compared. `rewards` is the result of replaying
 * recorded rollouts; `undefined` without a replay.
 */
export function requiredBump(
  changes: readonly ManifestChange[],
  rewards?: { readonly isSame: boolean },
): RequiredBump {
  const found = changes.map((change) => ({ bump: bumpOfChange(change), reason: textOf(change) }));
  if (rewards?.isSame === false)
    found.push({ bump: "major", reason: "recorded rollouts get other rewards or messages" });
  const bump = order.findLast((name) => found.some((entry) => entry.bump === name)) ?? "patch";
  const reasons = found.filter((entry) => entry.bump === bump).map(({ reason }) => reason);
  return { bump, reasons: bump === "patch" ? [] : reasons };
}

/** Whether the step from one version to another is at least as large as required. Before 1.0.0, each part counts for the next larger one. */
export function isBumpSufficient(from: string, to: string, required: VersionBump): boolean {
  const [before, after] = [numbersOf(from), numbersOf(to)];
  const position = before.findIndex((number, index) => number !== after[index]);
  if (position === -1) return true;
  const raised = order.length - 1 - position;
  const isInitial = before[0] === 0 && after[0] === 0;
  return raised + (isInitial ? 1 : 0) >= order.indexOf(required);
}

function bumpOfChange({ subject, name, kind }: ManifestChange): VersionBump {
  if (subject === "environment") return name === "core" ? "patch" : "major";
  if (kind === "removed" || kind === "narrowed") return "major";
  if (kind === "added" || kind === "widened") return subject === "tool" ? "major" : "minor";
  return subject === "split" ? "minor" : "major";
}

function textOf({ subject, name, kind, detail }: ManifestChange): string {
  const what = subject === "environment" ? name : `the ${subject} ${name}`;
  return `${what} was ${kind}${detail === "" ? "" : ` (${detail})`}`;
}

function numbersOf(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split(/[-+]/, 1)[0]!.split(".").map(Number);
  return [major, minor, patch];
}
