import { HubError } from "../../platform/errors/hub-error.ts";
import type { PackageChange } from "../changes/change-package.ts";
import type { Package } from "../permissions/require-package.ts";

/** The users who may read a package, and whether its changes need a second factor. */
export interface AccessSettings {
  readonly access: "public" | "restricted";
  readonly requiresSecondFactor: boolean;
  /** Whether tokens that bypass the second factor bypass it for this package, too. */
  readonly allowsBypass: boolean;
}

type NewAccessSettings = {
  readonly [Setting in keyof AccessSettings]: AccessSettings[Setting] | undefined;
};

export function accessSettings(package_: Package): AccessSettings {
  return {
    access: package_.access,
    requiresSecondFactor: package_.requires_2fa,
    allowsBypass: package_.allows_bypass_2fa,
  };
}

/**
 * Changes the settings that are defined, and returns all. A downloaded package cannot become private: installs of
 * projects that use it would fail.
 */
export async function changeAccess(
  { database, identity, package: package_, touch, event }: PackageChange,
  { access, requiresSecondFactor, allowsBypass }: NewAccessSettings,
): Promise<AccessSettings> {
  const { id, name } = package_;
  const current = accessSettings(package_);
  const next: AccessSettings = {
    access: access ?? current.access,
    requiresSecondFactor: requiresSecondFactor ?? current.requiresSecondFactor,
    allowsBypass: allowsBypass ?? current.allowsBypass,
  };
  const changes = Object.entries(next).filter(
    ([setting, value]) => current[setting as keyof AccessSettings] !== value,
  );
  if (changes.length === 0) return next;
  if (next.requiresSecondFactor && !current.requiresSecondFactor && !identity.hasSecondFactor)
    throw new HubError("second-factor-missing", {
      message: `${identity.name} does not have a second factor and would lose write access to ${name}. Enable one first: npm profile enable-2fa`,
    });
  const becomesPrivate = next.access === "restricted" && current.access === "public";
  if (becomesPrivate && (await isDownloaded(database, id)))
    throw new HubError("access-only-widens", {
      message: `${name} cannot become private: it was downloaded, so installs of projects that use it would fail. Archive it (envs hub archive ${name}), or deprecate it: npm deprecate ${name} "<message>"`,
    });
  await database
    .updateTable("packages")
    .set({
      access: next.access,
      requires_2fa: next.requiresSecondFactor,
      allows_bypass_2fa: next.allowsBypass,
    })
    .where("id", "=", id)
    .execute();
  event({ type: "package.access-changed", subject: name, detail: Object.fromEntries(changes) });
  touch();
  return next;
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
