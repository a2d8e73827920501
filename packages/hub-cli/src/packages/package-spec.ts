import { ownScope, UsageError } from "@envs/cli/kit";
import semver from "semver";

/** A package on the command line, such as `tictactoe@0.2.0`. */
export interface PackageSpec {
  /** The name, with or without a scope. */
  readonly name: string;
  /** A version, a range of versions or a dist-tag; `undefined` means `latest`. */
  readonly range: string | undefined;
}

/** Parses `@envs/tictactoe`, `tictactoe@0.2.0`, `tictactoe@next`. */
export function parsePackageSpec(text: string): PackageSpec {
  const [, name, range] = /^((?:@[^@/\s:]+\/)?[^@/\s:]+)(?:@([^/:]+))?$/.exec(text) ?? [];
  if (name !== undefined && (range === undefined || isRangeOrTag(range))) return { name, range };
  throw new UsageError(
    `${JSON.stringify(text)} is not a package name. Write a name, and optionally a version: ${ownScope}/tictactoe, tictactoe@0.2.0`,
  );
}

/** The inverse of `parsePackageSpec`. */
export function formatPackageSpec({ name, range }: PackageSpec): string {
  return range === undefined ? name : `${name}@${range}`;
}

/** Whether a text is a valid package name. Names from a hub become arguments and lines of files, so they are checked. */
export function isPackageName(text: string): boolean {
  return /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/.test(text);
}

/** The scope of a package's name, with `@`. */
export function scopeOf(name: string): string | undefined {
  return name.startsWith("@") ? name.split("/", 1)[0] : undefined;
}

/** Adds the `@` that a user may omit. */
export function normaliseScope(text: string): string {
  return `@${text.replace(/^@/, "")}`;
}

function isRangeOrTag(text: string): boolean {
  return semver.validRange(text) !== null || /^[a-z][\w.-]*$/i.test(text);
}
