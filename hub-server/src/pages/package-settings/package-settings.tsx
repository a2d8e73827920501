import type { FastifyReply } from "fastify";
import type { ReactNode } from "react";

import { hasPermission } from "../../access/permissions/permission-query.ts";
import { type Package, requirePackage } from "../../access/permissions/require-package.ts";
import { type Identity, requireIdentity } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameLink } from "../layout/entry.tsx";
import type { Feedback } from "../layout/handle-change.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";
import { sendSection } from "../layout/section-page.tsx";
import { packagePath } from "../package/package-view.ts";

/** A package, and what a visitor may change. */
export interface ManagedPackage {
  readonly package: Package;
  readonly identity: Identity;
  /** Whether the visitor may change the users of the package, and not only its versions. */
  readonly isAdmin: boolean;
}

/** Returns a package that the visitor may write to, or throws. */
export async function managedPackage(
  hub: Hub,
  { request }: SignedInVisitor,
  name: string,
): Promise<ManagedPackage> {
  const identity = await requireIdentity(hub, request);
  const package_ = await requirePackage(hub.database, { identity, name, permission: "write" });
  const row = await hub.database
    .selectFrom("packages")
    .where("id", "=", package_.id)
    .select(hasPermission(identity, "admin").as("isAdmin"))
    .executeTakeFirst();
  return { package: package_, identity, isAdmin: row?.isAdmin === true };
}

const sections = [
  ["/settings", "General"],
  ["/settings/versions", "Versions"],
  ["/settings/people", "People"],
  ["/settings/trusted-publishers", "Trusted publishers"],
  ["/settings/advisories", "Advisories"],
] as const;

/** The path of a section, after that of the package. */
export type PackageSection = (typeof sections)[number][0];

/** Sends a page of a package's settings. Only administrators of the package see its trusted publishers. */
export function sendPackageSettings(
  reply: FastifyReply,
  visitor: SignedInVisitor,
  {
    name,
    isAdmin,
    section,
    ...content
  }: Feedback & {
    readonly name: string;
    readonly isAdmin: boolean;
    readonly section: PackageSection;
    readonly children: ReactNode;
  },
): FastifyReply {
  return sendSection(reply, visitor, {
    ...content,
    label: `Settings of ${name}`,
    groups: [
      sections
        .filter(([path]) => isAdmin || path !== "/settings/trusted-publishers")
        .map(([path, label]) => [`${packagePath(name)}${path}`, label] as const),
    ],
    section: `${packagePath(name)}${section}`,
    above: <NameLink href={packagePath(name)}>{name}</NameLink>,
  });
}
