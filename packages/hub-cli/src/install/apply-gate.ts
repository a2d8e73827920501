import { clean, FailureError } from "@envs/cli/kit";

import { type CommandContext, displayPath } from "../config/context.ts";
import {
  ageInMinutes,
  formatMinutes,
  type PackageManager,
  passesGate,
  type Release,
  type ReleaseGate,
} from "../managers/package-manager.ts";
import { releaseOf, selectVersion } from "../packages/packument.ts";
import type { RequiredPackage } from "./required-packages.ts";

/** A release that a package manager's gate blocks because it is too new. */
interface BlockedRelease {
  readonly required: RequiredPackage;
  /** The older version that is installed instead; if undefined, the installation fails. */
  readonly fallback: string | undefined;
}

/** A package manager's gate, and the project to which it applies. */
export interface GateContext {
  readonly manager: Pick<PackageManager, "title" | "exemption">;
  readonly gate: ReleaseGate;
  readonly root: string;
  readonly context: CommandContext;
  readonly now: Date;
}

/** The decision on releases that a gate blocks. */
export interface GateDecision {
  readonly note?: string;
  /** The releases to exempt from the gate. */
  readonly exemptions: readonly Release[];
  /** The older versions that are installed instead, by name. */
  readonly fallbacks: ReadonlyMap<string, string>;
}

/** Decides between exemptions and fallbacks. Throws a `FailureError` if the package manager would fail. */
export function applyGate(
  packages: readonly RequiredPackage[],
  gateContext: GateContext | undefined,
  allowsNew: boolean,
): GateDecision {
  const none: GateDecision = { exemptions: [], fallbacks: new Map() };
  if (gateContext === undefined) return none;
  const blocked = findBlockedReleases(gateContext, packages);
  if (blocked.length === 0) return none;
  const { manager, root } = gateContext;
  const releases = blocked.map(({ required }) => required.release);
  const canExempt = manager.exemption(root, releases).write !== undefined;
  if (allowsNew && canExempt) return { ...none, exemptions: releases };
  const withoutFallback = blocked.filter(({ fallback }) => fallback === undefined);
  if (withoutFallback.length > 0)
    throw new FailureError(blockedMessage(withoutFallback, gateContext));
  const fallbacks = blocked.map(
    ({ required, fallback = "" }) => [required.release.name, fallback] as const,
  );
  return {
    note: fallbackMessage(blocked, gateContext),
    exemptions: [],
    fallbacks: new Map(fallbacks),
  };
}

/** Finds the releases that a gate blocks. A soft gate blocks only releases that have a fallback. */
function findBlockedReleases(
  { gate, now }: Pick<GateContext, "gate" | "now">,
  packages: readonly RequiredPackage[],
): readonly BlockedRelease[] {
  return packages
    .filter(({ release }) => !passesGate(gate, release, now))
    .map((required) => ({
      required,
      fallback: selectVersion(required.packument, required.range, (version) =>
        passesGate(gate, releaseOf(required.packument, version), now),
      ),
    }))
    .filter(({ fallback }) => fallback !== undefined || !gate.isSoft);
}

/** The error message for releases without a fallback. */
function blockedMessage(
  blocked: readonly BlockedRelease[],
  { manager, gate, root, context, now }: GateContext,
): string {
  const releases = blocked.map(({ required }) => required.release);
  const wait = Math.max(...releases.map((release) => gate.minutes - ageInMinutes(release, now)));
  const { file, lines, write } = manager.exemption(root, releases);
  const path = displayPath(file, context);
  return [
    `${manager.title} rejects versions younger than ${formatMinutes(gate.minutes)} (${gate.setting}). These are too new:`,
    ...blocked.map(({ required }) => `  ${formatName(required)} ${formatAge(required, now)}`),
    write === undefined
      ? `If you trust them, add to ${path}:`
      : `If you trust them, run the command again with --allow-new, which adds to ${path}:`,
    ...lines.map((line) => `  ${clean(line)}`),
    `Or wait ${formatMinutes(wait)}.`,
  ].join("\n");
}

/** The note about fallbacks that are installed, and how to install the newest versions. */
function fallbackMessage(
  blocked: readonly BlockedRelease[],
  { manager, gate, root, context, now }: GateContext,
): string {
  const { file, lines, write } = manager.exemption(
    root,
    blocked.map(({ required }) => required.release),
  );
  return [
    `${manager.title} rejects versions younger than ${formatMinutes(gate.minutes)} (${gate.setting}), so it installs older ones:`,
    ...blocked.map(
      ({ required, fallback = "" }) =>
        `  ${formatName(required)} ${clean(fallback)}, not ${formatAge(required, now)}`,
    ),
    write === undefined
      ? `For the newest, add to ${displayPath(file, context)}:\n${lines.map((line) => `  ${line}`).join("\n")}`
      : "For the newest, run the command again with --allow-new.",
  ].join("\n");
}

function formatName({ release, requiredBy }: RequiredPackage): string {
  return requiredBy === undefined
    ? clean(release.name)
    : `${clean(release.name)} (required by ${clean(requiredBy)})`;
}

function formatAge({ release }: RequiredPackage, now: Date): string {
  return `${clean(release.version)}, published ${formatMinutes(ageInMinutes(release, now))} ago`;
}
