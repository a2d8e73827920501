import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** What somebody is about to publish. */
interface Intent {
  readonly actor: { readonly userId: number };
  readonly right: PublishingRight;
  readonly verified: { readonly name: string };
}

const hour = 3_600_000;
const week = 7 * 24 * hour;

/** Refuses what is more than one user may publish in an hour, or new names in a week. */
export async function requireRate(hub: Hub, intents: readonly Intent[]): Promise<void> {
  const { HUB_LIMITS, HUB_PUBLISHES_PER_HOUR, HUB_PACKAGES_PER_WEEK } = hub.settings;
  if (HUB_LIMITS === "off") return;
  for (const [userId, own] of Map.groupBy(intents, ({ actor }) => actor.userId)) {
    const versions = { userId, most: HUB_PUBLISHES_PER_HOUR, added: own.length, within: hour };
    const fullFor = await timeUntilRoom(hub, versions);
    if (fullFor !== undefined)
      throw tooMany(`${HUB_PUBLISHES_PER_HOUR} versions in an hour`, fullFor);
    const names = own.filter(({ right }) => right.existing === undefined);
    const added = new Set(names.map(({ verified }) => verified.name)).size;
    if (added === 0) continue;
    const packages = { userId, most: HUB_PACKAGES_PER_WEEK, added, within: week, isFirst: true };
    const takenFor = await timeUntilRoom(hub, packages);
    if (takenFor !== undefined)
      throw tooMany(`${HUB_PACKAGES_PER_WEEK} new packages in a week`, takenFor);
  }
}

interface Limit {
  readonly userId: number;
  readonly most: number;
  readonly added: number;
  readonly within: number;
  /** Counts versions that were their package's first. */
  readonly isFirst?: boolean;
}

/** How many milliseconds until there is room; undefined if there is. */
async function timeUntilRoom(
  { database, clock }: Hub,
  { userId, most, added, within, isFirst = false }: Limit,
): Promise<number | undefined> {
  if (added > most) return within;
  const now = clock().getTime();
  const newest = database
    .selectFrom("versions")
    .where("published_by", "=", userId)
    .where("published_at", ">", new Date(now - within))
    .orderBy("published_at", "desc")
    .offset(most - added)
    .limit(1)
    .select("published_at");
  // A package is as old as its first version.
  const first = newest.innerJoin("packages", (join) =>
    join
      .onRef("packages.id", "=", "versions.package_id")
      .onRef("packages.created_at", "=", "versions.published_at"),
  );
  const found = await (isFirst ? first : newest).executeTakeFirst();
  return found && found.published_at.getTime() + within - now;
}

function tooMany(limit: string, milliseconds: number): HubError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const minutes = Math.ceil(seconds / 60);
  return new HubError("too-many-publishes", {
    message: `You may publish ${limit} on this hub. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}, or ask its operator for more.`,
    headers: { "retry-after": String(seconds) },
  });
}
