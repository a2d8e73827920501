import type { PackageChange } from "../../access/changes/change-package.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { settleTags } from "../tags/settle-tags.ts";
import { reasonsToKeep, shownReasons } from "./reasons.ts";

interface Standing {
  readonly id: number;
  readonly version: string;
  readonly yanked_at: Date | null;
  readonly published_at: Date;
}

/**
 * Unpublishes versions, or all of a package, if they are young and nothing points at them. Their numbers stay taken, and
 * the name stays with its owner.
 */
export async function unpublish(
  change: PackageChange,
  { versions, hours }: { readonly versions: readonly string[] | "all"; readonly hours: number },
): Promise<void> {
  const { database, found, now, event, touch } = change;
  const standing = await standingVersions(change);
  const going =
    versions === "all" ? standing : standing.filter(({ version }) => versions.includes(version));
  if (going.length === 0) return;
  await requireRemovable(change, { standing, going, hours });
  await database
    .updateTable("versions")
    .set({ unpublished_at: now })
    .where(
      "id",
      "in",
      going.map(({ id }) => id),
    )
    .execute();
  for (const { version } of going)
    event({ type: "version.unpublished", subject: `${found.name}@${version}` });
  if (going.length === standing.length) event({ type: "package.unpublished", subject: found.name });
  touch();
  await settleTags(change);
}

async function standingVersions({ database, found }: PackageChange): Promise<readonly Standing[]> {
  return await database
    .selectFrom("versions")
    .where("package_id", "=", found.id)
    .where("unpublished_at", "is", null)
    .select(["id", "version", "yanked_at", "published_at"])
    .orderBy("id")
    .execute();
}

async function requireRemovable(
  { database, found, identity, now }: PackageChange,
  {
    standing,
    going,
    hours,
  }: {
    readonly standing: readonly Standing[];
    readonly going: readonly Standing[];
    readonly hours: number;
  },
): Promise<void> {
  const oldest = now.getTime() - hours * 3_600_000;
  const old = going.filter(({ published_at }) => published_at.getTime() < oldest);
  const tags = await database
    .selectFrom("dist_tags")
    .where(
      "version_id",
      "in",
      going.map(({ id }) => id),
    )
    .select("tag")
    .execute();
  const reasons = [
    ...old
      .slice(0, shownReasons)
      .map(
        ({ version }) =>
          `${version} was published before the last ${hours === 1 ? "hour" : `${hours} hours`}`,
      ),
    ...(await reasonsToKeep(database, {
      found,
      identity,
      versions: going.map(({ version }) => version),
      left: standing
        .filter((each) => !going.includes(each) && each.yanked_at === null)
        .map(({ version }) => version),
      tags: tags.map(({ tag }) => tag),
    })),
  ];
  if (reasons.length === 0) return;
  const [only, ...others] = going;
  const what =
    others.length === 0 && only !== undefined
      ? `${found.name}@${only.version}`
      : `${going.length} versions of ${found.name}`;
  throw new HubError("version-needed", {
    message: `${what} cannot be unpublished: ${reasons.join("; ")}. Instead, warn of it (npm deprecate), yank it, or archive the package.`,
  });
}
