import type { Advisory, PackageDetail, VersionDetail } from "@envs/hub-client";
import semver from "semver";

import type { Connection } from "./connect.ts";
import { fullName } from "./full-name.ts";
import { about } from "./not-there.ts";
import { packageSpec } from "./package-spec.ts";

/** A package of a hub, and one of its versions. */
export interface PublishedPackage {
  readonly package: PackageDetail;
  readonly version: VersionDetail;
  /** Those that concern this version and are not withdrawn. */
  readonly advisories: readonly Advisory[];
  /** What installs this version. */
  readonly install: string;
}

/** Reads all that a hub says of what a person named: `@envs/tictactoe`, `tictactoe@0.2.0`. */
export async function publishedPackage(
  connection: Pick<Connection, "client" | "url">,
  written: string,
): Promise<PublishedPackage> {
  const { client, url } = connection;
  const { name: given, wanted } = packageSpec(written);
  const name = await fullName(connection, given);
  const found = await about({ name, url }, client.readPackage({ name }));
  const [version, advisories] = await Promise.all([
    about({ name: written, url }, client.readVersion({ name, version: wanted ?? "latest" })),
    client.listAdvisories({ name }),
  ]);
  const isLatest = version.version === found.latest;
  return {
    package: found,
    version,
    advisories: advisories.items.filter(
      ({ withdrawnAt, vulnerableVersions }) =>
        withdrawnAt === null && semver.satisfies(version.version, vulnerableVersions),
    ),
    install: `envs install ${isLatest ? name : `${name}@${version.version}`}`,
  };
}
