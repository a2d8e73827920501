import * as z from "zod";

import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/tables.ts";
import { attempt, failure, type Finding, ok, warning } from "./finding.ts";

const timeoutMs = 10_000;
/** A mirror polls every ten seconds; a package with many versions takes longer. */
const lateMs = 10 * 60_000;

const feed = z.object({
  items: z.array(z.object({ at: z.coerce.date().optional() })),
  last: z.int(),
});

/** Compares the event that each mirror has copied last with the log of the hub that it follows. */
export async function checkMirrors(
  database: Database,
  { HUB_UPSTREAM, HUB_UPSTREAM_TOKENS }: Settings,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { kind, origin } of HUB_UPSTREAM?.list ?? []) {
    if (kind !== "mirror") continue;
    const check = `mirror ${origin}`;
    const remedy = "Check that the upstream is a hub, and read this hub's log for mirror.waits.";
    const run = async (): Promise<Finding> => {
      const copied = await database
        .selectFrom("mirrors")
        .where("origin", "=", origin)
        .select("sequence")
        .executeTakeFirst();
      const sequence = copied?.sequence ?? 0;
      const token = HUB_UPSTREAM_TOKENS?.get(new URL(origin).host);
      const response = await fetch(`${origin}/-/events?since=${sequence}&limit=1`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "manual",
      });
      const { items, last } = feed.parse(await response.json());
      if (last < sequence)
        return failure(
          check,
          `Its event log ends at ${last}, before the event ${sequence} that this hub has copied.`,
          "Ask its operator whether they restored an old backup.",
        );
      const next = items[0]?.at;
      if (next === undefined || new Date().getTime() - next.getTime() < lateMs)
        return ok(check, `has copied ${sequence} of ${last} events`);
      return warning(
        check,
        `${last - sequence} of ${last} events are not copied; the oldest is of ${next.toISOString()}.`,
        "Start the hub, and read its log for mirror.waits and mirror.broken.",
      );
    };
    findings.push(...(await attempt(check, remedy, run)));
  }
  return findings;
}
