import { UsageError } from "@envs/terminal";
import semver from "semver";

/** A package that a person named, and which of its versions. */
export interface PackageSpec {
  /** With or without a scope. */
  readonly name: string;
  /** A version, a range of versions or a dist-tag; `undefined` if nothing was said. */
  readonly wanted: string | undefined;
}

/** Reads `@envs/tictactoe`, `tictactoe@0.2.0`, `tictactoe@next`. */
export function packageSpec(text: string): PackageSpec {
  const [, name, wanted] = /^((?:@[^@/\s:]+\/)?[^@/\s:]+)(?:@([^/:]+))?$/.exec(text) ?? [];
  if (name !== undefined && (wanted === undefined || isWanted(wanted))) return { name, wanted };
  throw new UsageError(
    `${JSON.stringify(text)} is not a package of a hub. Write its name, and a version if you want a certain one: @envs/tictactoe, tictactoe@0.2.0`,
  );
}

/** Whether a text can be a package's name. What a hub says becomes arguments and lines of files. */
export function isPackageName(text: string): boolean {
  return /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/.test(text);
}

/** The scope of a package's name, with `@`. */
export function scopeOf(name: string): string | undefined {
  return name.startsWith("@") ? name.split("/", 1)[0] : undefined;
}

function isWanted(wanted: string): boolean {
  return semver.validRange(wanted) !== null || /^[a-z][\w.-]*$/i.test(wanted);
}

/** Throws a `UsageError` if packages cannot have this scope, which is written without `@`. */
export function checkScope(scope: string): void {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(scope)) return;
  throw new UsageError(
    `${JSON.stringify(scope)} is not a valid scope. Use lower-case letters, digits, dots, underscores and dashes, such as @you.`,
  );
}
