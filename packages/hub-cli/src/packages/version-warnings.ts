import { isHubRequestError } from "@envs/hub-client";
import { clean, cleanJson, FailureError, UsageError } from "@envs/terminal";

import type { Connection } from "../connection/connect.ts";
import { warnings } from "../render/warnings.ts";
import { type PublishedPackage, publishedPackage } from "./published-package.ts";

/** A version of a package. */
export interface NamedVersion {
  readonly name: string;
  readonly version: string;
}

/** A version, and what one should know of it. */
export interface KnownVersion extends NamedVersion {
  readonly warnings: readonly string[];
}

/** What a hub knows against versions. Those that it does not have, or does not show, are left out. */
export async function knownAgainst(
  connection: Connection,
  versions: readonly NamedVersion[],
): Promise<readonly KnownVersion[]> {
  const known = versions.map(async (each) => {
    const found = await published(connection, each);
    return found === undefined ? [] : [{ ...each, warnings: warnings(cleanJson(found)) }];
  });
  return (await Promise.all(known)).flat();
}

/** What is known, a line for each warning. */
export function knownInWords(known: readonly KnownVersion[]): readonly string[] {
  return known.flatMap(({ name, version, warnings: lines }) =>
    lines.map((line) => `${clean(name)} ${clean(version)} · ${line}`),
  );
}

async function published(
  connection: Connection,
  { name, version }: NamedVersion,
): Promise<PublishedPackage | undefined> {
  try {
    return await publishedPackage(connection, `${name}@${version}`);
  } catch (error) {
    const isMissing = error instanceof FailureError || error instanceof UsageError;
    if (isHubRequestError(error) || isMissing) return undefined;
    throw error;
  }
}
