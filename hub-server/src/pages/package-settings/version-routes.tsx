import type { FastifyInstance } from "fastify";
import semver from "semver";

import type { PackageChange } from "../../access/changes/change-package.ts";
import { tagsOf, versionsOf } from "../../api/package-versions.ts";
import { deprecate, deprecationMessage, setYanked } from "../../packages/lifecycle/lifecycle.ts";
import { removeTag, setTag } from "../../packages/tags/tags.ts";
import { unpublish } from "../../packages/unpublish/unpublish.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requireTypedName } from "../layout/choices.tsx";
import { formFields } from "../layout/require-session.ts";
import { managedPackage, packageForms, sendPackageSettings } from "./package-settings.tsx";
import { Versions } from "./versions.tsx";

const section = "/settings/versions";

/** Registers the page that sets dist-tags, and deprecates, yanks and unpublishes versions. */
export function versionSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = packageForms(app, hub, {
    section,
    notices: {
      tagged: "Tag set.",
      untagged: "Tag removed.",
      deprecated: "Deprecation saved.",
      yanked: "Version hidden from new installs.",
      unyanked: "Version restored.",
      unpublished: "Version unpublished.",
    },
    async show(visitor, reply, { name, ...feedback }) {
      const { package: package_, isAdmin } = await managedPackage(hub, visitor, name);
      const versions = await versionsOf(hub.database, package_.id);
      const view = {
        versions: versions.toSorted((a, b) => semver.rcompare(a.version, b.version)),
        tags: await tagsOf(hub.database, package_.id),
      };
      const children = <Versions {...{ name, ...view }} />;
      return sendPackageSettings(reply, visitor, { name, isAdmin, section, children, ...feedback });
    },
  });

  addForm("/tag", ({ request }) => {
    const { tag, version } = formFields(request, "tag", "version");
    return {
      done: "tagged",
      permission: "publish",
      work: (change) => setTag(change, tag.trim(), version),
    };
  });

  addForm("/untag", ({ request }) => ({
    done: "untagged",
    permission: "publish",
    work: (change) => removeTag(change, formFields(request, "tag").tag),
  }));

  addForm("/deprecate", ({ request }) => {
    const { version, message } = formFields(request, "version", "message");
    return {
      done: "deprecated",
      permission: "write",
      work: (change) => deprecateVersion(change, version, message.trim()),
    };
  });

  for (const [after, done, isYanked] of [
    ["/yank", "yanked", true],
    ["/unyank", "unyanked", false],
  ] as const)
    addForm(after, ({ request }) => ({
      done,
      permission: "write",
      work: (change) => setYanked(change, formFields(request, "version").version, isYanked),
    }));

  addForm("/unpublish", (visitor) => {
    const { version } = formFields(visitor.request, "version");
    requireTypedName(visitor, version);
    const maxHours = hub.settings.HUB_UNPUBLISH_HOURS;
    return {
      done: "unpublished",
      permission: "write",
      work: (change) => unpublish(change, [version], maxHours),
    };
  });
}

async function deprecateVersion(
  change: PackageChange,
  version: string,
  message: string,
): Promise<void> {
  const { id, name } = change.package;
  const [known] = await versionsOf(change.database, id, version);
  if (known === undefined) throw notFound(`${name}@${version.slice(0, 250)}`);
  if (!deprecationMessage.safeParse(message).success)
    throw new HubError("invalid-request", {
      message:
        "The deprecation message is too long or has control characters. Use at most 1024 characters.",
    });
  await deprecate(change, new Map([[version, message]]));
}
