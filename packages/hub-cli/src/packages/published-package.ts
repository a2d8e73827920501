import { shellArgument } from "@envs/cli/kit";
import type { Advisory, HubClient, PackageDetail, VersionDetail } from "@envs/hub-client";
import semver from "semver";

import { type Connection, ifNotFound } from "../connection/connect.ts";
import { findPackage, parsePackageSpec, versionNotFoundError } from "./find-package.ts";

/** A package on a hub and one of its versions. */
export interface PublishedPackage {
  readonly package: PackageDetail;
  readonly version: VersionDetail;
  /** The advisories that apply to this version and are not withdrawn. */
  readonly advisories: readonly Advisory[];
  /** The command that installs this version. */
  readonly install: string;
}

/** Reads a package by its spec, such as `@envs/tictactoe` or `tictactoe@0.2.0`. */
export async function readPublishedPackage(
  connection: Pick<Connection, "address" | "client" | "url">,
  spec: string,
): Promise<PublishedPackage> {
  const { client } = connection;
  const { name, range } = parsePackageSpec(spec);
  const detail = await findPackage(connection, name);
  const [version, advisories] = await Promise.all([
    readVersion(client, detail, range),
    client.listAdvisories({ name: detail.name }),
  ]);
  return {
    package: detail,
    version,
    advisories: advisories.items.filter(
      ({ withdrawnAt, vulnerableVersions }) =>
        withdrawnAt === null && semver.satisfies(version.version, vulnerableVersions),
    ),
    install: installCommand(detail, version, connection),
  };
}

/** Includes `--registry` only if the user passed it: otherwise the same configuration applies to the next command. */
function installCommand(
  { name, latest }: PackageDetail,
  { version }: VersionDetail,
  { address, url }: Pick<Connection, "address" | "url">,
): string {
  const spec = version === latest ? name : `${name}@${version}`;
  return `envs install ${shellArgument(spec)}${address.source === "--registry" ? ` --registry ${url}` : ""}`;
}

async function readVersion(
  client: HubClient,
  detail: PackageDetail,
  range: string | undefined,
): Promise<VersionDetail> {
  const response = client.readVersion({ name: detail.name, version: range ?? "latest" });
  return await ifNotFound(response, () => {
    throw versionNotFoundError(detail, range);
  });
}
