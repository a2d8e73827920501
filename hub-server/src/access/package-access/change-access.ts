import { HubError } from "../../platform/errors/hub-error.ts";
import type { PackageChange } from "../changes/change-package.ts";

/** Who may read a package, and whether changing it takes a second factor. */
export interface AccessSettings {
  readonly access: "public" | "restricted";
  readonly requiresSecondFactor: boolean;
  /** Whether a token that does without a second factor does so here, too. */
  readonly allowsBypass: boolean;
}

/** Changes what is given. A package turns private only while nobody has downloaded it: it would be missing where it is installed. */
export async function changeAccess(
  { database, identity, found, touch, event }: PackageChange,
  given: Partial<AccessSettings>,
): Promise<void> {
  const next = { ...accessOf(found), ...given };
  const changed = Object.fromEntries(
    Object.entries(next).filter(
      ([setting, value]) => accessOf(found)[setting as keyof AccessSettings] !== value,
    ),
  );
  if (Object.keys(changed).length === 0) return;
  if (changed["requiresSecondFactor"] === true && !identity.hasSecondFactor)
    throw new HubError("second-factor-missing", {
      message: `${identity.name} has no second factor, and could not change ${found.name} any more. Set one up first: npm profile enable-2fa`,
    });
  if (changed["access"] === "restricted" && (await isDownloaded(database, found.id)))
    throw new HubError("access-only-widens", {
      message: `${found.name} stays public: it was downloaded, and would be missing where it is installed. Archive it instead, or deprecate it: npm deprecate ${found.name} "…"`,
    });
  await database
    .updateTable("packages")
    .set({
      access: next.access,
      requires_2fa: next.requiresSecondFactor,
      allows_bypass_2fa: next.allowsBypass,
    })
    .where("id", "=", found.id)
    .execute();
  event({ type: "package.access-changed", subject: found.name, detail: changed });
  touch();
}

/** The settings of a package. */
export function accessOf(found: PackageChange["found"]): AccessSettings {
  return {
    access: found.access,
    requiresSecondFactor: found.requires_2fa,
    allowsBypass: found.allows_bypass_2fa,
  };
}

async function isDownloaded(
  database: PackageChange["database"],
  packageId: number,
): Promise<boolean> {
  const download = await database
    .selectFrom("downloads")
    .innerJoin("versions", "versions.id", "downloads.version_id")
    .where("versions.package_id", "=", packageId)
    .select("downloads.day")
    .limit(1)
    .executeTakeFirst();
  return download !== undefined;
}
