import type { FastifyRequest } from "fastify";

import { type Identity, requirePublisher, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { type Change, change } from "../../platform/hub/change.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { Permission } from "../permissions/permission.ts";
import { type Package, requirePackage } from "../permissions/require-package.ts";
import { refuseArchived } from "./archived.ts";
import { revisionText } from "./revision.ts";

/** A change of one package, by somebody who may make it, while nobody else changes it. */
export interface PackageChange {
  readonly database: Change["database"];
  readonly now: Date;
  readonly identity: Identity;
  readonly found: Package;
  /** Says that the package's answers differ from now on. */
  readonly touch: () => void;
  /** What the log will tell; the actor and the package are known. */
  readonly event: (event: Pick<HubEvent, "type" | "subject" | "detail">) => void;
}

/** What is asked of a package. */
export interface Asked<Result> {
  readonly name: string;
  readonly wanted: Extract<Permission, "publish" | "write" | "admin">;
  /** The `_rev` that the client has seen; without one, what it has seen does not matter. */
  readonly rev?: string;
  readonly evenIfArchived?: boolean;
  readonly work: (change: PackageChange) => Promise<Result>;
}

/** What came of it, and the package's `_rev` since. */
export interface Changed<Result> {
  readonly result: Result;
  readonly rev: string;
}

/** Changes a package for a request: asks who it is, whether they may, and for a second factor where one is due. */
export async function changePackage<Result>(
  hub: Hub,
  request: FastifyRequest,
  asked: Asked<Result>,
): Promise<Changed<Result>> {
  const { name, wanted, evenIfArchived = false } = asked;
  const identity = await (wanted === "publish" ? requirePublisher : requireWriter)(hub, request);
  const seen = await requirePackage(hub.database, { identity, name, permission: wanted });
  await requireSecondFactorFor(hub, request, { identity, found: seen });
  return await change(hub, async ({ database, now, event, touch }) => {
    const found = await lockPackage(database, seen);
    if (!evenIfArchived) refuseArchived(found);
    if (asked.rev !== undefined) requireFresh(found, asked.rev);
    let isTouched = false;
    const result = await asked.work({
      database,
      now,
      identity,
      found,
      event: (said) => event({ ...said, actor: identity.name, packageId: found.id }),
      touch: () => {
        isTouched = true;
        touch(found);
      },
    });
    return { result, rev: revisionText(isTouched ? after(found) : found) };
  });
}

/** Changes of one package follow each other: the next one waits here until this one is committed. */
async function lockPackage(database: Change["database"], seen: Package): Promise<Package> {
  const found = await database
    .selectFrom("packages")
    .where("id", "=", seen.id)
    .selectAll()
    .forUpdate()
    .executeTakeFirst();
  if (found === undefined) throw notFound(seen.name);
  return found;
}

/** Refuses a change that was made of an older state than this. */
export function requireFresh(found: Pick<Package, "id" | "name" | "revision">, rev: string): void {
  if (rev === revisionText(found)) return;
  throw new HubError("revision-stale", {
    message: `${found.name} has changed since this client read it (it sent the revision ${JSON.stringify(rev.slice(0, 50))}). Run the command again.`,
  });
}

function after(found: Package): Package {
  return { ...found, revision: found.revision + 1 };
}
