import { clean } from "@envs/terminal";

import { type Place, shown } from "../config/context.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { ageOf, minutesInWords, passes, type ReleaseGate } from "../managers/release-gate.ts";
import { chosenVersion, releaseOf } from "../packages/packument.ts";
import type { NeededPackage } from "./required-packages.ts";

/** A release that a gate holds back. */
export interface HeldRelease {
  readonly needed: NeededPackage;
  /** The older version that is taken in its place; without one, the installation fails. */
  readonly instead: string | undefined;
}

/** What of an installation a gate holds back. A soft gate lets through what has no older version. */
export function heldReleases(
  gate: ReleaseGate,
  packages: readonly NeededPackage[],
  now: Date,
): readonly HeldRelease[] {
  return packages
    .filter(({ release }) => !passes(gate, release, now))
    .map((needed) => ({
      needed,
      instead: chosenVersion(needed.packument, needed.wanted, (version) =>
        passes(gate, releaseOf(needed.packument, version), now),
      ),
    }))
    .filter(({ instead }) => instead !== undefined || !gate.isSoft);
}

/** Whose gate it is, and of which project. */
export interface GateOf {
  readonly manager: Pick<PackageManager, "title" | "exception">;
  readonly gate: ReleaseGate;
  readonly root: string;
  readonly place: Place;
  readonly now: Date;
}

/** Why an installation would fail, and what to do. */
export function whyHeld(held: readonly HeldRelease[], of: GateOf): string {
  const { manager, gate, root, place, now } = of;
  const releases = held.map(({ needed }) => needed.release);
  const wait = Math.max(...releases.map((release) => gate.minutes - ageOf(release, now)));
  const { file, lines, write } = manager.exception(root, releases);
  const where = shown(file, place);
  return [
    `${manager.title} takes no version that is younger than ${minutesInWords(gate.minutes)} (${gate.setting}), and these are:`,
    ...held.map(({ needed }) => `  ${nameLine(needed)} ${ageLine(needed, now)}`),
    write === undefined
      ? `If you trust them, write into ${where}:`
      : `If you trust them, run this again with --allow-new, which writes into ${where}:`,
    ...lines.map((line) => `  ${clean(line)}`),
    `Or wait ${minutesInWords(wait)}.`,
  ].join("\n");
}

/** That older versions are taken, and how to have the newest. */
export function whatInstead(held: readonly HeldRelease[], of: GateOf): string {
  const { manager, gate, root, place, now } = of;
  const { file, lines, write } = manager.exception(
    root,
    held.map(({ needed }) => needed.release),
  );
  return [
    `${manager.title} waits until a version is ${minutesInWords(gate.minutes)} old (${gate.setting}). It takes:`,
    ...held.map(
      ({ needed, instead = "" }) =>
        `  ${nameLine(needed)} ${clean(instead)}, not ${ageLine(needed, now)}`,
    ),
    write === undefined
      ? `For the newest, write into ${shown(file, place)}:\n${lines.map((line) => `  ${line}`).join("\n")}`
      : "For the newest, run this again with --allow-new.",
  ].join("\n");
}

function nameLine({ release, neededBy }: NeededPackage): string {
  return neededBy === undefined
    ? clean(release.name)
    : `${clean(release.name)} (needed by ${clean(neededBy)})`;
}

function ageLine({ release }: NeededPackage, now: Date): string {
  return `${clean(release.version)}, published ${minutesInWords(ageOf(release, now))} ago`;
}
