import { isHubRequestError } from "@envs/hub-client";

import { clean } from "../render/wrap.ts";
import type { Connection } from "./connect.ts";
import type { PackageSpec } from "./package-spec.ts";

/** That nobody works on a package any more. Of the package managers, npm alone says it. */
export async function archivedNotes(
  { client }: Connection,
  specs: readonly PackageSpec[],
): Promise<readonly string[]> {
  const isArchived = async ({ name }: PackageSpec): Promise<boolean> => {
    try {
      return (await client.readPackage({ name })).isArchived;
    } catch (error) {
      // Another registry than a hub does not say.
      if (isHubRequestError(error)) return false;
      throw error;
    }
  };
  const archived = await Promise.all(specs.map(isArchived));
  return specs
    .filter((_, index) => archived[index])
    .map(
      ({ name }) => `${clean(name)} is archived: it installs, and nothing new will be published.`,
    );
}
