import { eventsAfter } from "../events/feed.ts";
import type { Hub } from "../hub.ts";
import { type DueDelivery, enqueueDeliveries, hasWebhooks, takeDue } from "./enqueue.ts";
import { send } from "./send.ts";

const minute = 60_000;
/** How long to wait after each failed attempt; after the last, the delivery is given up. */
const waits = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60].map((minutes) => minutes * minute);
const pollMilliseconds = 30_000;

/** Delivers events to webhooks from now on: at once when one happens, and again later when a receiver was away. */
export function startDeliveries(hub: Hub): { stop(): Promise<void> } {
  const state = { stopped: false, isWanted: false };
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (state.isWanted && !state.stopped) {
      state.isWanted = false;
      await deliverDue(hub).catch((error: unknown) =>
        hub.log.error({ err: error }, "webhooks could not be delivered"),
      );
    }
    running = undefined;
  };
  const wake = (): void => {
    state.isWanted = true;
    running ??= run();
  };
  const timer = setInterval(wake, pollMilliseconds).unref();
  hub.onTold(wake);
  wake();
  return {
    async stop() {
      state.stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Sends everything that is due, and resolves when each has been answered or failed. */
export async function deliverDue(hub: Hub): Promise<void> {
  if (!(await hasWebhooks(hub.database))) return;
  await enqueueDeliveries(hub.database, hub.clock());
  for (
    let due = await takeDue(hub.database, hub.clock());
    due.length > 0;
    due = await takeDue(hub.database, hub.clock())
  )
    await Promise.all(due.map((each) => deliver(hub, each)));
}

async function deliver(hub: Hub, { webhook_id, sequence, attempts }: DueDelivery): Promise<void> {
  const hook = await hub.database
    .selectFrom("webhooks")
    .where("id", "=", webhook_id)
    .selectAll()
    .executeTakeFirst();
  if (hook === undefined) return;
  const [event] = await eventsAfter(hub.database, {
    since: sequence - 1,
    limit: 1,
    reader: "everything",
  });
  const status = await send({
    url: hook.url,
    secret: hook.secret,
    body: JSON.stringify(event),
    headers: { "x-envs-delivery": `${webhook_id}/${sequence}`, "user-agent": "envs-hub" },
    allowsInside: hub.settings.HUB_WEBHOOKS === "any",
    timestamp: Math.floor(hub.clock().getTime() / 1000),
  }).catch((error: unknown) => {
    hub.log.info(
      { webhook: webhook_id, problem: (error as Error).message },
      "a webhook's receiver did not answer",
    );
    return null;
  });
  const isDone = status !== null && status >= 200 && status < 300;
  const wait = waits[attempts];
  const now = hub.clock();
  await hub.database
    .updateTable("webhook_deliveries")
    .set({
      attempts: attempts + 1,
      status,
      delivered_at: isDone ? now : null,
      next_attempt_at: isDone || wait === undefined ? null : new Date(now.getTime() + wait),
    })
    .where("webhook_id", "=", webhook_id)
    .where("sequence", "=", sequence)
    .execute();
}
