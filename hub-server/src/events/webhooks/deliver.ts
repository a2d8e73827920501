import type { Hub } from "../../platform/hub/hub.ts";
import { eventsAfter } from "../feed.ts";
import { backOff, type Lease } from "./lease.ts";

const minute = 60_000;
/** The delay after each failed attempt. After the last one, the hub drops the delivery. */
const retryDelays = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60].map((minutes) => minutes * minute);

/** The result of an attempt: a 2xx status, another final status, or a receiver that is unreachable or overloaded (5xx, 429). */
export type Outcome = "delivered" | "rejected" | "unavailable";

/** Sends the oldest due delivery of a leased webhook and records the attempt. Backs off from unavailable receivers. */
export async function deliverNext(hub: Hub, lease: Lease): Promise<Outcome | undefined> {
  const due = await hub.database
    .selectFrom("webhook_deliveries")
    .where("webhook_id", "=", lease.id)
    .where("delivered_at", "is", null)
    .where("next_attempt_at", "<=", hub.clock())
    .orderBy("sequence")
    .limit(1)
    .select(["sequence", "attempts"])
    .executeTakeFirst();
  if (due === undefined) return undefined;
  const status = await sendEvent(hub, lease, due.sequence);
  const outcome = outcomeOf(status);
  const delay = retryDelays[due.attempts];
  const now = hub.clock();
  const isLast = outcome === "delivered" || delay === undefined;
  await hub.database.transaction().execute(async (transaction) => {
    await transaction
      .updateTable("webhook_deliveries")
      .set({
        attempts: due.attempts + 1,
        status,
        delivered_at: outcome === "delivered" ? now : null,
        next_attempt_at: isLast ? null : new Date(now.getTime() + delay),
      })
      .where("webhook_id", "=", lease.id)
      .where("sequence", "=", due.sequence)
      .execute();
    if (outcome === "unavailable") await backOff(transaction, lease, now);
  });
  return outcome;
}

/** Returns the HTTP status, or null if the receiver did not respond. */
async function sendEvent(
  hub: Hub,
  { id, url, secret }: Lease,
  sequence: number,
): Promise<number | null> {
  const [event] = await eventsAfter(hub.database, {
    since: sequence - 1,
    limit: 1,
    reader: "everything",
  });
  // Loaded on demand, because it loads Node's HTTP client, which a hub without webhooks does not need.
  const { send } = await import("./send.ts");
  return await send({
    url,
    secret,
    body: JSON.stringify(event),
    headers: { "x-envs-delivery": `${id}/${sequence}`, "user-agent": "envs-hub" },
    allowsPrivateAddresses: hub.settings.HUB_WEBHOOKS === "any",
    timestamp: Math.floor(hub.clock().getTime() / 1000),
  }).catch((error: unknown) => {
    hub.log.info(
      { webhook: id, problem: (error as Error).message },
      "a webhook's receiver did not respond",
    );
    return null;
  });
}

function outcomeOf(status: number | null): Outcome {
  if (status === null || status >= 500 || status === 429) return "unavailable";
  return status >= 200 && status < 300 ? "delivered" : "rejected";
}
