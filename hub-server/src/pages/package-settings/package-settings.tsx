import type { FastifyInstance, FastifyReply } from "fastify";
import type { ReactNode } from "react";

import { changePackage, type PackageChangeOptions } from "../../access/changes/change-package.ts";
import { hasPermission } from "../../access/permissions/permission-query.ts";
import { type Package, requirePackage } from "../../access/permissions/require-package.ts";
import { type Identity, requireIdentity } from "../../identity/request/identity.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameLink } from "../layout/elements.tsx";
import { type Feedback, handleChange } from "../layout/handle-change.tsx";
import { requireSession, type SignedInVisitor } from "../layout/require-session.ts";
import { sendSection } from "../layout/section-page.tsx";
import { packagePath } from "../package/package-view.ts";

/** A section of a package's settings. */
interface SectionRoutes {
  readonly section: PackageSection;
  /** The notices of the section's forms, by their keys. */
  readonly notices: Readonly<Record<string, string>>;
  readonly show: (
    visitor: SignedInVisitor,
    reply: FastifyReply,
    view: Feedback & { readonly name: string },
  ) => Promise<unknown>;
}

/** Adds a form's route to a section. Its work returns the key of the notice. */
type AddSectionForm = (
  after: string,
  work: (visitor: SignedInVisitor, name: string) => Promise<string>,
) => void;

/** Registers the page of a section. Returns a function that registers its forms. */
export function packageSection(
  app: FastifyInstance,
  hub: Hub,
  { section, notices, show }: SectionRoutes,
): AddSectionForm {
  packageRoute(app, `GET /package/:package${section}`, async (name, request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { done = "" } = request.query as { readonly done?: string };
    return await show(visitor, reply, { name, notice: notices[done] });
  });
  return (after, work) =>
    packageRoute(app, `POST /package/:package${section}${after}`, (name, request, reply) =>
      handleChange(hub, request, reply, {
        page: `${packagePath(name)}${section}`,
        show: (visitor, feedback) => show(visitor, reply, { name, ...feedback }),
        work: (visitor) => work(visitor, name),
      }),
    );
}

/** A form that changes the package, and the key of its notice. */
interface PackageForm extends Pick<
  PackageChangeOptions<unknown>,
  "permission" | "evenIfArchived" | "work"
> {
  readonly done: string;
}

/** Adds a form that changes the package to a section. `formOf` may throw a `HubError` for invalid fields. */
type AddForm = (
  after: string,
  formOf: (visitor: SignedInVisitor, name: string) => PackageForm,
) => void;

/** Registers the page of a section whose forms change the package. Returns a function that registers these. */
export function packageForms(app: FastifyInstance, hub: Hub, routes: SectionRoutes): AddForm {
  const addForm = packageSection(app, hub, routes);
  return (after, formOf) =>
    addForm(after, async (visitor, name) => {
      const { done, ...options } = formOf(visitor, name);
      await changePackage(hub, visitor.request, { name, ...options });
      return done;
    });
}

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
  ["/settings/log", "Log"],
] as const;

/** The path of a section, after that of the package. */
type PackageSection = (typeof sections)[number][0];

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
