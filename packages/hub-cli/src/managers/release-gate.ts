import { matchesPattern } from "./name-pattern.ts";

/** What a package manager does with versions that were published a short while ago. */
export interface ReleaseGate {
  /** It takes no version that is younger. */
  readonly minutes: number;
  /** Where no version is old enough, it takes a young one after all. */
  readonly isSoft: boolean;
  /** The setting that says so, by its name. */
  readonly setting: string;
  /** Packages that it takes at any age: names, with `*` for anything, or names and versions. */
  readonly excluded: readonly string[];
}

/** A version of a package, and when it was published. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
}

/** Whether a gate lets a release pass. */
export function passes(gate: ReleaseGate, release: Release, now: Date): boolean {
  return ageOf(release, now) >= gate.minutes || gate.excluded.some((each) => covers(each, release));
}

/** How many minutes ago a release was. */
export function ageOf({ publishedAt }: Release, now: Date): number {
  return (now.getTime() - publishedAt.getTime()) / 60_000;
}

/** A time as people say it: `20 minutes`, `3 hours`, `2 days`. */
export function minutesInWords(minutes: number): string {
  const isDays = minutes % 1440 === 0 || minutes > 60 * 36;
  const [count, unit] =
    minutes < 90 ? [minutes, "minute"] : isDays ? [minutes / 1440, "day"] : [minutes / 60, "hour"];
  const whole = Math.max(0, Math.round(count));
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`;
}

function covers(pattern: string, { name, version }: Release): boolean {
  const [, names = "", versions] = /^(@?[^@]+)(?:@(.+))?$/.exec(pattern) ?? [];
  if (!matchesPattern(names, name)) return false;
  return versions?.split("||").some((each) => each.trim() === version) ?? true;
}
