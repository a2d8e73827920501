import type { FastifyInstance } from "fastify";

import { changePackage, type PackageChange } from "../../access/changes/change-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { unpublish } from "./unpublish.ts";

/**
 * `npm unpublish`. For one version, npm sends two requests: a package document without the version, and then a `DELETE`
 * of the version's tarball.
 */
export function unpublishRoutes(app: FastifyInstance, hub: Hub): void {
  const maxHours = hub.settings.HUB_UNPUBLISH_HOURS;
  packageRoute(app, "DELETE /:package/-rev/:rev", async (name, request) => {
    const { rev } = request.params as { readonly rev: string };
    const { rev: newRev } = await changePackage(hub, request, {
      name,
      permission: "write",
      rev,
      work: (change) => unpublish(change, "all", maxHours),
    });
    return { ok: true, id: name, rev: newRev };
  });
  packageRoute(app, "DELETE /:package/-/:file/-rev/:rev", async (name, request) => {
    const { rev, file } = request.params as { readonly rev: string; readonly file: string };
    const { rev: newRev } = await changePackage(hub, request, {
      name,
      permission: "write",
      rev,
      async work(change) {
        const version = await tarballVersion(change, file);
        await unpublish(change, [version], maxHours);
      },
    });
    return { ok: true, id: name, rev: newRev };
  });
}

/** The version of a tarball. The version may already be unpublished, because clients send the package document first. */
async function tarballVersion(
  { database, package: { id, name } }: PackageChange,
  file: string,
): Promise<string> {
  const nameInScope = name.slice(name.indexOf("/") + 1);
  const version =
    file.startsWith(`${nameInScope}-`) && file.endsWith(".tgz")
      ? file.slice(nameInScope.length + 1, -".tgz".length)
      : "";
  const row = await database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("version", "=", version)
    .select("version")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`${name}/-/${file.slice(0, 250)}`);
  return row.version;
}
