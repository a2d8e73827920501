import type { PackageChange } from "../../access/changes/change-package.ts";
import { findPackage } from "../../access/permissions/require-package.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { repairTags } from "../tags/repair-tags.ts";
import { blockingDependents, maxReasons } from "./blocking-dependents.ts";

interface PublishedVersion {
  readonly id: number;
  readonly version: string;
  readonly yanked_at: Date | null;
  readonly published_at: Date;
  readonly published_by: number | null;
}

/**
 * Unpublishes versions, or all of a package, if they are at most `maxHours` old and other packages do not need them. The
 * version numbers cannot be reused, and the name stays with its owner. Users who may only write to the package unpublish
 * only versions that they published themselves.
 */
export async function unpublish(
  change: PackageChange,
  versions: readonly string[] | "all",
  maxHours: number,
): Promise<void> {
  const {
    database,
    package: { name },
    now,
    event,
    touch,
  } = change;
  const published = await publishedVersions(change);
  const removed =
    versions === "all" ? published : published.filter(({ version }) => versions.includes(version));
  if (removed.length === 0) return;
  await requireRight(change, removed);
  await requireRemovable(change, removed, published, maxHours);
  await database
    .updateTable("versions")
    .set({ unpublished_at: now })
    .where(
      "id",
      "in",
      removed.map(({ id }) => id),
    )
    .execute();
  for (const { version } of removed)
    event({ type: "version.unpublished", subject: `${name}@${version}` });
  if (removed.length === published.length) event({ type: "package.unpublished", subject: name });
  touch();
  await repairTags(change);
}

async function publishedVersions({
  database,
  package: { id },
}: PackageChange): Promise<readonly PublishedVersion[]> {
  return await database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("unpublished_at", "is", null)
    .select(["id", "version", "yanked_at", "published_at", "published_by"])
    .orderBy("id")
    .execute();
}

async function requireRight(
  { database, identity, package: { name } }: PackageChange,
  removed: readonly PublishedVersion[],
): Promise<void> {
  const other = removed.find(({ published_by }) => published_by !== identity.userId);
  if (other === undefined) return;
  const lookup = await findPackage(database, { identity, name, permission: "admin" });
  if (lookup?.isAllowed === true) return;
  throw forbidden(
    `${identity.name} did not publish ${name}@${other.version}, so only an owner of the package's scope may unpublish it. Ask one, or deprecate it: npm deprecate`,
  );
}

async function requireRemovable(
  change: PackageChange,
  removed: readonly PublishedVersion[],
  published: readonly PublishedVersion[],
  maxHours: number,
): Promise<void> {
  const {
    database,
    package: { name },
    now,
  } = change;
  const limit = maxHours === 1 ? "1 hour" : `${maxHours} hours`;
  const oldest = now.getTime() - maxHours * 3_600_000;
  const tooOld = removed.filter(({ published_at }) => published_at.getTime() < oldest);
  const tags = await database
    .selectFrom("dist_tags")
    .where(
      "version_id",
      "in",
      removed.map(({ id }) => id),
    )
    .select("tag")
    .execute();
  const reasons = [
    ...tooOld
      .slice(0, maxReasons)
      .map(({ version }) => `${version} was published more than ${limit} ago`),
    ...(await blockingDependents(change, {
      versions: removed.map(({ version }) => version),
      remaining: published
        .filter((row) => !removed.includes(row) && row.yanked_at === null)
        .map(({ version }) => version),
      tags: tags.map(({ tag }) => tag),
    })),
  ];
  if (reasons.length === 0) return;
  const [only, ...others] = removed;
  const [subject, pronoun] =
    others.length === 0 && only !== undefined
      ? [`${name}@${only.version}`, "it"]
      : [`${removed.length} versions of ${name}`, "them"];
  throw new HubError("version-needed", {
    message: `${subject} cannot be unpublished: ${reasons.join("; ")}. Instead, deprecate ${pronoun} (npm deprecate), yank ${pronoun} (envs hub yank), or archive the package (envs hub archive).`,
  });
}
