import type { CommandContext } from "../config/context.ts";

/** The settings of a package manager that affect a scope's packages. */
export interface ManagerSettings {
  readonly version: string;
  /** The scope's registry; undefined if the scope is not mapped. */
  readonly registry: string | undefined;
  readonly gate: ReleaseGate | undefined;
  /** Whether it connects to a host by plain HTTP. */
  readonly allowsHttp: (host: string) => boolean;
  /** Whether it has a token for a registry; undefined if it does not report that. */
  readonly hasToken: (url: string) => boolean | undefined;
}

/** The functions of a package manager that the hub commands use. */
export interface PackageManager {
  /** The name in messages. */
  readonly title: "npm" | "pnpm" | "Yarn 1" | "Yarn 4" | "bun";
  readonly command: string;
  /** Whether it installs peer dependencies. */
  readonly installsPeers: boolean;
  /** Reads the settings for a scope; undefined if the package manager is not installed. */
  readonly settings: (
    context: CommandContext,
    scope: string,
  ) => Promise<ManagerSettings | undefined>;
  /** The arguments that add packages to a project. */
  readonly add: (specs: readonly string[], isDevelopment: boolean) => readonly string[];
  /** Maps a scope to a hub in the project's configuration. Returns the files that changed. */
  readonly mapScope: (root: string, mapping: ScopeMapping) => Promise<readonly string[]>;
  /** The setting that exempts releases from the gate. */
  readonly exemption: (root: string, releases: readonly Release[]) => GateExemption;
}

/** A scope and the hub that its packages come from. */
export interface ScopeMapping {
  /** With `@`. */
  readonly scope: string;
  readonly url: string;
}

/** A setting that exempts releases from a gate. */
export interface GateExemption {
  readonly file: string;
  /** The lines to add to the file, for messages. */
  readonly lines: readonly string[];
  /** Adds the lines; undefined if the user must edit the file. */
  readonly write?: () => Promise<void>;
}

/** A package manager's minimum age of versions, such as npm's `min-release-age`. */
export interface ReleaseGate {
  readonly minutes: number;
  /** A soft gate accepts a younger version if no version is old enough. */
  readonly isSoft: boolean;
  /** The name of the setting. */
  readonly setting: string;
  /** The packages that are exempt: names, which may contain `*`, with or without versions. */
  readonly excluded: readonly string[];
}

/** A version of a package and its time of publication. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
}

/** Whether a gate accepts a release: it is old enough, or exempt. */
export function passesGate(gate: ReleaseGate, release: Release, now: Date): boolean {
  return (
    ageInMinutes(release, now) >= gate.minutes ||
    gate.excluded.some((pattern) => isExempt(release, pattern))
  );
}

/** The time since a release was published, in minutes. */
export function ageInMinutes({ publishedAt }: Release, now: Date): number {
  return (now.getTime() - publishedAt.getTime()) / 60_000;
}

/** Formats a duration: `20 minutes`, `3 hours`, `2 days`. */
export function formatMinutes(minutes: number): string {
  const isDays = minutes % 1440 === 0 || minutes > 60 * 36;
  const [count, unit] =
    minutes < 90 ? [minutes, "minute"] : isDays ? [minutes / 1440, "day"] : [minutes / 60, "hour"];
  const whole = Math.max(0, Math.round(count));
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`;
}

/** Whether a name matches a pattern, in which `*` stands for any characters but a slash. */
export function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^/]*")}$`).test(name);
}

function isExempt({ name, version }: Release, pattern: string): boolean {
  const [, namePattern = "", versions] = /^(@?[^@]+)(?:@(.+))?$/.exec(pattern) ?? [];
  if (!matchesPattern(namePattern, name)) return false;
  return versions?.split("||").some((candidate) => candidate.trim() === version) ?? true;
}
