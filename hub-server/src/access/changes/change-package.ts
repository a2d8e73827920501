import type { FastifyRequest } from "fastify";

import { type Identity, requirePublisher, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { administratorMark } from "../permissions/administrator-mark.ts";
import type { Permission } from "../permissions/permission-query.ts";
import { type Package, rejectArchived, requirePackage } from "../permissions/require-package.ts";
import { rejectRestricted } from "../permissions/restriction.ts";

/** An authorized change of one package, in a transaction that locks the package. */
export interface PackageChange {
  readonly database: Change["database"];
  readonly now: Date;
  readonly identity: Identity;
  readonly package: Package;
  /** Marks the package as changed: raises its revision, indexes it again and invalidates its cached responses. */
  readonly touch: () => void;
  /** Appends an event to the log. The actor and the package are filled in. */
  readonly event: (event: Pick<HubEvent, "type" | "subject" | "detail">) => void;
}

export interface PackageChangeOptions<Result> {
  readonly name: string;
  /** The permission that the caller needs. */
  readonly permission: Extract<Permission, "publish" | "write" | "admin">;
  /** The `_rev` that the change is based on. Default: any. */
  readonly rev?: string | undefined;
  /** Default: false, so that changes of an archived package are rejected. */
  readonly evenIfArchived?: boolean | undefined;
  readonly work: (change: PackageChange) => Promise<Result>;
}

/** The result of `work`, and the package's `_rev` after it. */
interface PackageChangeResult<Result> {
  readonly result: Result;
  readonly rev: string;
}

/** Changes a package for a request, after it has checked the caller's permission and second factor. */
export async function changePackage<Result>(
  hub: Hub,
  request: FastifyRequest,
  { name, permission, rev, evenIfArchived = false, work }: PackageChangeOptions<Result>,
): Promise<PackageChangeResult<Result>> {
  const identity = await (permission === "publish" ? requirePublisher : requireWriter)(
    hub,
    request,
  );
  const unlocked = await requirePackage(hub.database, { identity, name, permission });
  await requireSecondFactorFor(hub, request, identity, unlocked);
  return await change(hub, async ({ database, now, event, touch }) => {
    const package_ = await lockPackage(database, unlocked);
    await rejectRestricted(database, package_);
    if (!evenIfArchived) rejectArchived(package_);
    if (rev !== undefined) requireCurrentRevision(package_, rev);
    const mark = await administratorMark(database, identity, {
      packageId: package_.id,
      required: permission,
    });
    let { revision } = package_;
    const result = await work({
      database,
      now,
      identity,
      package: package_,
      event: ({ detail, ...fields }) =>
        event({
          ...fields,
          detail: { ...detail, ...mark },
          actor: identity.name,
          packageId: package_.id,
        }),
      touch: () => {
        revision = package_.revision + 1;
        touch(package_);
      },
    });
    return { result, rev: revisionText({ ...package_, revision }) };
  });
}

/** Reads the package again and locks it until the transaction ends, so that changes of a package run one by one. */
async function lockPackage(database: Change["database"], { id, name }: Package): Promise<Package> {
  const package_ = await database
    .selectFrom("packages")
    .where("id", "=", id)
    .selectAll()
    .forUpdate()
    .executeTakeFirst();
  if (package_ === undefined) throw notFound(name);
  return package_;
}

/** The `_rev` of a package's document. Clients that change a document send back the `_rev` that they read. */
export function revisionText({ id, revision }: Pick<Package, "id" | "revision">): string {
  return `${revision}-${id.toString(16)}`;
}

/** Rejects a change that is based on an older revision of the package. */
export function requireCurrentRevision(
  package_: Pick<Package, "id" | "name" | "revision">,
  rev: string,
): void {
  if (rev === revisionText(package_)) return;
  throw new HubError("revision-stale", {
    message: `${package_.name} has changed since the client read its revision ${JSON.stringify(rev.slice(0, 50))}. Run the command again.`,
  });
}
