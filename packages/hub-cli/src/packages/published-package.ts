import {
  type Advisory,
  type HubClient,
  isHubRequestError,
  type PackageDetail,
  type VersionDetail,
} from "@envs/hub-client";
import semver from "semver";

import type { Connection } from "../connection/connect.ts";
import { namedPackage } from "./find-package.ts";
import { packageSpec } from "./package-spec.ts";
import { noVersion } from "./version-error.ts";

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
  connection: Pick<Connection, "address" | "client" | "url">,
  written: string,
): Promise<PublishedPackage> {
  const { client } = connection;
  const { name: given, wanted } = packageSpec(written);
  const found = await namedPackage(connection, given);
  const { name } = found;
  const [version, advisories] = await Promise.all([
    readVersion(client, found, wanted),
    client.listAdvisories({ name }),
  ]);
  const spec = version.version === found.latest ? name : `${name}@${version.version}`;
  return {
    package: found,
    version,
    advisories: advisories.items.filter(
      ({ withdrawnAt, vulnerableVersions }) =>
        withdrawnAt === null && semver.satisfies(version.version, vulnerableVersions),
    ),
    install: installOf(spec, connection),
  };
}

/** What installs a package, for somebody in the same place: there it is known which hub is meant, or it is said. */
function installOf(spec: string, { address, url }: Pick<Connection, "address" | "url">): string {
  return `envs install ${spec}${address.from === "--registry" ? ` --registry ${url}` : ""}`;
}

async function readVersion(
  client: HubClient,
  found: PackageDetail,
  wanted: string | undefined,
): Promise<VersionDetail> {
  try {
    return await client.readVersion({ name: found.name, version: wanted ?? "latest" });
  } catch (error) {
    throw isHubRequestError(error) && error.status === 404 ? noVersion(found, wanted) : error;
  }
}
