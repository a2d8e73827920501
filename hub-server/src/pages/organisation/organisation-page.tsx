import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReactNode } from "react";

import {
  findOrganisation,
  hasRole,
  type Organisation,
  requireOrganisation,
} from "../../access/organisations/organisation.ts";
import { type Identity, requireIdentity } from "../../identity/request/identity.ts";
import type { Visitor } from "../../identity/sessions/visitor.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameLink } from "../layout/elements.tsx";
import type { Feedback } from "../layout/handle-change.tsx";
import type { PageMeta } from "../layout/head.tsx";
import { sendPage } from "../layout/page.tsx";
import { sendSection } from "../layout/section-page.tsx";

/** An organisation, and the rights of a visitor in it. */
export interface SeenOrganisation extends Organisation {
  /** The path of the organisation's first page. */
  readonly path: string;
  readonly isMember: boolean;
  /** Whether the visitor may change teams and their permissions. */
  readonly managesTeams: boolean;
  /** Whether the visitor may change members and their roles. */
  readonly managesMembers: boolean;
}

/** Finds an organisation, whose name and public packages everyone may see. Throws `not-found`. */
export async function seenOrganisation(
  { database }: Hub,
  identity: Identity | undefined,
  name: string,
): Promise<SeenOrganisation> {
  const organisation = await findOrganisation(database, identity, name);
  if (organisation === undefined) throw notFound(`The organisation ${name.slice(0, 100)}`);
  const may = (role: "developer" | "admin" | "owner"): boolean =>
    identity !== undefined && hasRole(identity, organisation, role);
  return {
    ...organisation,
    path: `/org/${name}`,
    isMember: may("developer"),
    managesTeams: may("admin"),
    managesMembers: may("owner"),
  };
}

/** Finds an organisation for one of its members. Throws `not-found`, or that the visitor is not a member. */
export async function organisationOfMember(
  hub: Hub,
  request: FastifyRequest,
  name: string,
): Promise<{ readonly identity: Identity; readonly organisation: SeenOrganisation }> {
  const identity = await requireIdentity(hub, request);
  await requireOrganisation(hub.database, identity, name, "developer");
  return { identity, organisation: await seenOrganisation(hub, identity, name) };
}

const sections = [
  ["", "Packages"],
  ["/members", "Members"],
  ["/teams", "Teams"],
  ["/staged", "Staged versions"],
  ["/log", "Log"],
] as const;

/** The content of a page of an organisation. */
interface OrganisationContent extends Feedback {
  readonly organisation: SeenOrganisation;
  /** The path of the page's section, after that of the organisation. */
  readonly section: (typeof sections)[number][0];
  /** Default: the organisation's name. */
  readonly title?: string;
  readonly meta?: PageMeta;
  readonly children: ReactNode;
}

/** Sends a page of an organisation. Members see its sections. */
export function sendOrganisation(
  reply: FastifyReply,
  visitor: Visitor,
  { organisation, section, meta, ...content }: OrganisationContent,
): FastifyReply {
  const { name, path, isMember } = organisation;
  if (!isMember)
    return sendPage(reply, visitor, {
      title: name,
      width: "text",
      meta,
      children: content.children,
    });
  return sendSection(reply, visitor, {
    ...content,
    title: content.title ?? name,
    label: name,
    groups: [sections.map(([sectionPath, label]) => [`${path}${sectionPath}`, label] as const)],
    section: `${path}${section}`,
    above: <NameLink href={path}>{name}</NameLink>,
  });
}
