import type { FastifyRequest } from "fastify";

import { identify } from "../../identity/request/identity.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isPackageName } from "../../platform/names/package-name.ts";
import { allows, type Package, permissionFor } from "./permissions.ts";

/**
 * The package of a name, if whoever asks may read it. For a public one nobody needs to say who they are; a token that is
 * wrong is told the same of a private package as of none.
 */
export async function readable(hub: Hub, request: FastifyRequest, name: string): Promise<Package> {
  if (!isPackageName(name)) throw notFound(name);
  const found = await hub.database
    .selectFrom("packages")
    .where("name", "=", name)
    .selectAll()
    .executeTakeFirst();
  if (found?.access === "public") return found;
  const identity = await identify(hub, request);
  if (found === undefined) throw notFound(name);
  const held = await permissionFor(hub.database, identity, found);
  if (!allows(held, "read")) throw notFound(name);
  return found;
}
