import type { FastifyInstance } from "fastify";

import { changeAccess } from "../../access/package-access/change-access.ts";
import { setArchived } from "../../packages/lifecycle/lifecycle.ts";
import { unpublish } from "../../packages/unpublish/unpublish.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requireTypedName } from "../layout/choices.tsx";
import { formFields } from "../layout/require-session.ts";
import { General } from "./general.tsx";
import { managedPackage, packageForms, sendPackageSettings } from "./package-settings.tsx";

const section = "/settings";

/** Registers the page for the access, the archiving and the unpublishing of a package. */
export function generalSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = packageForms(app, hub, {
    section,
    notices: {
      access: "Access saved.",
      archived: "Package archived.",
      restored: "Package restored.",
      unpublished: "All versions are unpublished.",
    },
    async show(visitor, reply, { name, ...feedback }) {
      const managed = await managedPackage(hub, visitor, name);
      const children = <General {...managed} />;
      return sendPackageSettings(reply, visitor, {
        name,
        isAdmin: managed.isAdmin,
        section,
        children,
        ...feedback,
      });
    },
  });

  addForm("/access", ({ request }) => {
    const fields = formFields(request, "access", "requires_2fa", "allows_bypass");
    const isKnown = fields.access === "public" || fields.access === "restricted";
    return {
      done: "access",
      permission: "admin",
      work: (change) =>
        changeAccess(change, {
          access: isKnown ? fields.access : undefined,
          requiresSecondFactor: fields.requires_2fa === "yes",
          allowsBypass: fields.allows_bypass === "yes",
        }),
    };
  });

  for (const [after, done, isArchived] of [
    ["/archive", "archived", true],
    ["/restore", "restored", false],
  ] as const)
    addForm(after, () => ({
      done,
      permission: "admin",
      evenIfArchived: true,
      work: (change) => setArchived(change, isArchived),
    }));

  addForm("/unpublish", (visitor, name) => {
    requireTypedName(visitor, name);
    const maxHours = hub.settings.HUB_UNPUBLISH_HOURS;
    return {
      done: "unpublished",
      permission: "write",
      work: (change) => unpublish(change, "all", maxHours),
    };
  });
}
