import type { Hub } from "../../platform/hub/hub.ts";
import { eventsAfter } from "../feed.ts";
import { backOff, type Lease } from "./lease.ts";

const minute = 60_000;
/** How long to wait after each failed attempt; after the last, the delivery is given up. */
const waits = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60].map((minutes) => minutes * minute);

/** What became of a message: taken, refused by a receiver that is there, or not taken by one that is away. */
export type Outcome = "taken" | "refused" | "away";

/** Sends a webhook the oldest message that is due, if there is one, and notes what came of it; who is away rests. */
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
  const wait = waits[due.attempts];
  const now = hub.clock();
  const isLast = outcome === "taken" || wait === undefined;
  await hub.database.transaction().execute(async (transaction) => {
    await transaction
      .updateTable("webhook_deliveries")
      .set({
        attempts: due.attempts + 1,
        status,
        delivered_at: outcome === "taken" ? now : null,
        next_attempt_at: isLast ? null : new Date(now.getTime() + wait),
      })
      .where("webhook_id", "=", lease.id)
      .where("sequence", "=", due.sequence)
      .execute();
    if (outcome === "away") await backOff(transaction, lease, now);
  });
  return outcome;
}

/** The status of the answer; null without one. */
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
  // It brings Node's whole HTTP client along, which a hub without webhooks does not need.
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
      "a webhook's receiver did not answer",
    );
    return null;
  });
}

function outcomeOf(status: number | null): Outcome {
  if (status === null || status >= 500 || status === 429) return "away";
  return status >= 200 && status < 300 ? "taken" : "refused";
}
