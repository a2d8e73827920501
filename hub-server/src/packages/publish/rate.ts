import { limitFor, type UserLimit } from "../../identity/accounts/new-account-limit.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { Submission } from "./submission.ts";

const hour = 3_600_000;
const week = 7 * 24 * hour;

/** Enforces each user's rate limits: versions per hour, and new packages per week. */
export async function requireRate(
  hub: Hub,
  submissions: readonly Pick<Submission, "identity" | "right" | "name">[],
): Promise<void> {
  const { HUB_LIMITS, HUB_PUBLISHES_PER_HOUR, HUB_PACKAGES_PER_WEEK } = hub.settings;
  if (HUB_LIMITS === "off") return;
  for (const [userId, ownSubmissions] of Map.groupBy(
    submissions,
    ({ identity }) => identity.userId,
  )) {
    const user = { userId, isAdmin: ownSubmissions.some(({ identity }) => identity.isAdmin) };
    const limitOf = async (max: number): Promise<UserLimit> =>
      await limitFor(hub.database, hub.settings, { user, max, now: hub.clock() });
    const versionLimit = await limitOf(HUB_PUBLISHES_PER_HOUR);
    const versionWait = await waitFor(hub, {
      userId,
      max: versionLimit.max,
      newCount: ownSubmissions.length,
      period: hour,
    });
    if (versionWait !== undefined)
      throw rateExceeded("versions per hour", versionLimit, versionWait);
    const newNames = ownSubmissions.filter(({ right }) => right.existingPackage === undefined);
    const newCount = new Set(newNames.map(({ name }) => name)).size;
    if (newCount === 0) continue;
    const packageLimit = await limitOf(HUB_PACKAGES_PER_WEEK);
    const packageWait = await waitFor(hub, {
      userId,
      max: packageLimit.max,
      newCount,
      period: week,
      countsPackages: true,
    });
    if (packageWait !== undefined)
      throw rateExceeded("new packages per week", packageLimit, packageWait);
  }
}

interface RateLimit {
  readonly userId: number;
  readonly max: number;
  readonly newCount: number;
  /** In milliseconds. */
  readonly period: number;
  /** Counts only the first version of each package. */
  readonly countsPackages?: boolean;
}

/** The milliseconds until the limit allows this many more; undefined if it already does. */
async function waitFor(
  { database, clock }: Hub,
  { userId, max, newCount, period, countsPackages = false }: RateLimit,
): Promise<number | undefined> {
  if (newCount > max) return period;
  const now = clock().getTime();
  const versions = database
    .selectFrom("versions")
    .where("published_by", "=", userId)
    .where("published_at", ">", new Date(now - period))
    .orderBy("published_at", "desc")
    .offset(max - newCount)
    .limit(1)
    .select("published_at");
  // A package and its first version have the same time.
  const firstVersions = versions.innerJoin("packages", (join) =>
    join
      .onRef("packages.id", "=", "versions.package_id")
      .onRef("packages.created_at", "=", "versions.published_at"),
  );
  const version = await (countsPackages ? firstVersions : versions).executeTakeFirst();
  return version && version.published_at.getTime() + period - now;
}

function rateExceeded(what: string, { max, note }: UserLimit, milliseconds: number): HubError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const minutes = Math.ceil(seconds / 60);
  return new HubError("too-many-publishes", {
    message: `Rate limit exceeded: each user may publish ${max} ${what} on this hub.${note} Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}, or ask its operator for a higher limit.`,
    headers: { "retry-after": String(seconds) },
  });
}
