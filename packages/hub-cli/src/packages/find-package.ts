import { clean, FailureError, ownScope, UsageError } from "@envs/cli/kit";
import type { PackageDetail } from "@envs/hub-client";
import { distance } from "fastest-levenshtein";
import semver from "semver";

import { type Connection, ifNotFound } from "../connection/connect.ts";
import { terminalPrompter } from "../connection/prompter.ts";
import { type PackagePrompter, selectPackage } from "./select-package.ts";

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

type Hub = Pick<Connection, "client" | "url">;

/** Reads a package by its name, which may omit the scope. */
export async function findPackage(hub: Hub, name: string): Promise<PackageDetail> {
  const fullName = await resolvePackageName(hub, name);
  return await explainNotFound(hub, fullName, hub.client.readPackage({ name: fullName }));
}

/** Adds the scope to a name without one. If several packages have the name, selects the preferred one or asks the user. */
export async function resolvePackageName(
  { client, url }: Hub,
  name: string,
  prompter: PackagePrompter = terminalPrompter(),
): Promise<string> {
  if (name.startsWith("@")) return name;
  const { items } = await client.findPackages({ q: name, perPage: 100 });
  const packages = items.filter((item) => isPackageName(item.name));
  if (packages.some((item) => item.name === name)) return name;
  const matches = packages.filter((item) => item.name.endsWith(`/${name}`));
  if (matches.length > 0) return (await selectPackage(matches, { name, url, prompter })).name;
  const names = packages.map((item) => item.name);
  const similar = names.filter((candidate) => isSimilar(candidate, name)).slice(0, 5);
  throw new UsageError(
    similar.length > 0
      ? `No package on ${url} is named ${name}. Similar names:${listNames(similar)}`
      : `No package on ${url} is named ${name}. Search for it: envs search <words>`,
  );
}

/** The error for a package that does not exist on the hub, or that the user may not read. */
export function packageNotFoundError(name: string, url: string): FailureError {
  return new FailureError(
    `${clean(name)} does not exist on ${url}, or you may not read it. Search for it with envs search; for a private package, run envs hub login.`,
  );
}

/** Waits for a response about a package, and replaces a 404 by `packageNotFoundError`. */
export async function explainNotFound<Body>(
  { url }: Pick<Hub, "url">,
  name: string,
  response: Promise<Body>,
): Promise<Body> {
  return await ifNotFound(response, () => {
    throw packageNotFoundError(name, url);
  });
}

function isSimilar(candidate: string, name: string): boolean {
  const bare = candidate.split("/").at(-1) ?? candidate;
  return bare.includes(name) || distance(bare, name) <= Math.max(2, name.length / 3);
}

function listNames(names: readonly string[]): string {
  return names.map((name) => `\n  ${clean(name)}`).join("");
}

/** The versions and dist-tags of a package. */
export interface PackageVersions {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly isYanked: boolean }[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The consequence of a yank, for messages. */
export const yankedNotice = "only lockfiles that already contain it can install it";

/** The error for a version that does not exist or is yanked. Lists the dist-tags. */
export function versionNotFoundError(
  { name, versions, tags }: PackageVersions,
  range = "latest",
): UsageError {
  const cleanName = clean(name);
  if (versions.length > 0 && versions.every(({ isYanked }) => isYanked))
    return new UsageError(
      `Every version of ${cleanName} is yanked: only lockfiles that already contain one can install it.`,
    );
  const yanked = versions
    .filter(({ version, isYanked }) => isYanked && matchesRange(version, range))
    .map(({ version }) => clean(version));
  const tagged = Object.entries(tags).map(([tag, version]) => `${clean(tag)} ${clean(version)}`);
  const reason =
    yanked.length === 0
      ? `${cleanName} has no version ${range}.`
      : `${cleanName} ${yanked.join(", ")} ${yanked.length === 1 ? "is" : "are"} yanked: ${yankedNotice}.`;
  return new UsageError(
    `${reason} Available: ${tagged.join(", ") || "none"}. See: envs info ${cleanName}`,
  );
}

function matchesRange(version: string, range: string): boolean {
  return version === range || semver.satisfies(version, range);
}
