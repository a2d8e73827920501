import type { FastifyInstance, FastifyReply } from "fastify";

import { changePackage, type PackageChangeOptions } from "../../access/changes/change-package.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type Feedback, handleChange } from "../layout/handle-change.tsx";
import { requireSession, type SignedInVisitor } from "../layout/require-session.ts";
import { packagePath } from "../package/package-view.ts";
import type { PackageSection } from "./package-settings.tsx";

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
export type AddForm = (
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
