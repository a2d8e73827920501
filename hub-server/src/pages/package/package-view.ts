import type { PackageDetail, VersionDetail } from "@envs/hub-client";
import type { FastifyReply, FastifyRequest } from "fastify";

import {
  findPackage,
  type Package,
  readablePackage,
} from "../../access/permissions/require-package.ts";
import { rejectTakenDown } from "../../access/permissions/restriction.ts";
import { packageDetail } from "../../api/package-detail.ts";
import { versionDetail } from "../../api/version-detail.ts";
import { identify, type Identity } from "../../identity/request/identity.ts";
import { userOf, type Visitor } from "../../identity/sessions/visitor.ts";
import type { StoredAdvisory } from "../../packages/advisories/advisories.ts";
import { isStarred } from "../../packages/stars/star.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { audit } from "../../registry/audit/audit.ts";

/** The package and its visitor, for every tab of a package's page. */
export interface PackageView {
  /** Undefined if the visitor is not signed in. */
  readonly visitor: Visitor | undefined;
  readonly identity: Identity | undefined;
  readonly package: Package;
  readonly detail: PackageDetail;
  /** The version in the address, else the latest one. */
  readonly version: VersionDetail;
  /** Whether the address names a version. */
  readonly isPinned: boolean;
  readonly isStarred: boolean;
  /** The advisories that affect the version, without withdrawn ones. */
  readonly advisories: readonly StoredAdvisory[];
  /** Whether the visitor may publish, yank and deprecate. */
  readonly isWriter: boolean;
  /** Whether the visitor may also change visibility and maintainers. */
  readonly isAdmin: boolean;
  readonly origin: string;
  readonly now: Date;
  /** The path of the package's page. */
  readonly path: string;
}

/** Reads a package for a page. Throws `not-found` if the visitor may not read it, or if it has no such version. */
export async function packageView(
  hub: Hub,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { name, version }: { readonly name: string; readonly version?: string | undefined },
): Promise<PackageView> {
  const { database } = hub;
  const visitor = await userOf(hub, request, reply);
  const package_ = await readablePackage(hub, request, name);
  const identity = await identify(hub, request);
  const origin = originOf(hub.settings, request);
  const detail = await packageDetail(database, package_, hub.clock());
  const versionOrTag = version ?? detail.latest ?? detail.versions[0]?.version;
  const selected =
    versionOrTag === undefined
      ? undefined
      : await versionDetail(database, package_, { versionOrTag, origin });
  if (selected === undefined) await rejectTakenDown(database, package_, version ?? "");
  if (selected === undefined)
    throw notFound(version === undefined ? name : `${name}@${version.slice(0, 256)}`);
  return {
    visitor,
    identity,
    package: package_,
    detail,
    version: selected,
    isPinned: version !== undefined,
    isStarred: identity !== undefined && (await isStarred(database, identity.userId, package_.id)),
    advisories: await audit(database, {
      identity,
      versions: new Map([[name, [selected.version]]]),
    }),
    isWriter: await isAllowed("write"),
    isAdmin: await isAllowed("admin"),
    origin,
    now: hub.clock(),
    path: packagePath(name),
  };

  async function isAllowed(permission: "write" | "admin"): Promise<boolean> {
    if (identity === undefined) return false;
    return (await findPackage(database, { identity, name, permission }))?.isAllowed === true;
  }
}

/** The path of a package's page. Package names need no escaping: only the slash after the scope is special, and it stays. */
export function packagePath(name: string): string {
  return `/package/${name}`;
}

/** The path of a version's page. */
export function versionPath(name: string, version: string): string {
  return `${packagePath(name)}/v/${encodeURIComponent(version)}`;
}

/** The path of a version's files. */
export function filesPath(name: string, version: string): string {
  return `${packagePath(name)}/files/${encodeURIComponent(version)}`;
}

/** The path of the bytes of a version's files. */
export function rawPath(name: string, version: string): string {
  return `${packagePath(name)}/raw/${encodeURIComponent(version)}`;
}

const units = ["bytes", "kB", "MB", "GB"];

/** A number of bytes for reading: `512 bytes`, `14.2 kB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit] ?? ""}`;
}
