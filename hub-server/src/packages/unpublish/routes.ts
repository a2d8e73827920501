import type { FastifyInstance } from "fastify";

import { answerOf } from "../../access/changes/answer.ts";
import { changePackage, type PackageChange } from "../../access/changes/change-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { unpublish } from "./unpublish.ts";

/** `npm unpublish`: all of a package, or the tarball of a version that has just been left out of the document. */
export function unpublishRoutes(app: FastifyInstance, hub: Hub): void {
  const hours = hub.settings.HUB_UNPUBLISH_HOURS;
  packageRoute(app, {
    method: "DELETE",
    after: "/-rev/:rev",
    async handler(name, request) {
      const { rev } = request.params as { readonly rev: string };
      const changed = await changePackage(hub, request, {
        name,
        wanted: "write",
        rev,
        work: (change) => unpublish(change, { versions: "all", hours }),
      });
      return answerOf(name, changed);
    },
  });
  packageRoute(app, {
    method: "DELETE",
    after: "/-/:file/-rev/:rev",
    async handler(name, request) {
      const { rev, file } = request.params as { readonly rev: string; readonly file: string };
      const changed = await changePackage(hub, request, {
        name,
        wanted: "write",
        rev,
        async work(change) {
          const version = await versionOf(change, file);
          await unpublish(change, { versions: [version], hours });
        },
      });
      return answerOf(name, changed);
    },
  });
}

/** The version whose tarball has this name; it may be unpublished already, which is how clients do it. */
async function versionOf({ database, found }: PackageChange, file: string): Promise<string> {
  const bare = found.name.slice(found.name.indexOf("/") + 1);
  const version =
    file.startsWith(`${bare}-`) && file.endsWith(".tgz")
      ? file.slice(bare.length + 1, -".tgz".length)
      : "";
  const row = await database
    .selectFrom("versions")
    .where("package_id", "=", found.id)
    .where("version", "=", version)
    .select("version")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`${found.name}/-/${file.slice(0, 250)}`);
  return row.version;
}
