import type { Hub } from "../../platform/hub/hub.ts";
import { deliverNext } from "./deliver.ts";
import { enqueueDeliveries, hasWebhooks } from "./enqueue.ts";
import { acquireLeases, type Lease, releaseLease } from "./lease.ts";

const pollMilliseconds = 30_000;
/** Webhooks that one process sends to at one moment. */
const maxLeases = 32;
/** Whoever has many receivers that are away does not hold up those of others. */
const maxLeasesPerAccount = 8;
/** A worker sends to one webhook for this long, then releases its lease so that waiting webhooks come first. */
const sendMilliseconds = 20_000;

interface Deliveries {
  /** Looks for what is to be sent, now or as soon as it has finished looking. */
  readonly wake: () => void;
  /** Resolves when everything that was due has been answered or failed. */
  readonly idle: () => Promise<void>;
  /** Begins nothing more, and resolves when what is under way has ended. */
  readonly stop: () => Promise<void>;
}

/** Delivers events to webhooks from now on: at once when one happens, and again later when a receiver was away. */
export function startDeliveries(hub: Hub): Pick<Deliveries, "stop"> {
  const deliveries = makeDeliveries(hub);
  const timer = setInterval(deliveries.wake, pollMilliseconds).unref();
  hub.onEvent(deliveries.wake);
  deliveries.wake();
  return {
    stop() {
      clearInterval(timer);
      return deliveries.stop();
    },
  };
}

/** Sends everything that is due, and resolves when each has been answered or failed. */
export async function deliverDue(hub: Hub): Promise<void> {
  const deliveries = makeDeliveries(hub);
  deliveries.wake();
  await deliveries.idle();
}

/** Sends to each webhook concurrently, so that a slow receiver does not delay the others. */
function makeDeliveries(hub: Hub): Deliveries {
  const state: { stopped: boolean; isWanted: boolean; looking?: Promise<void> | undefined } = {
    stopped: false,
    isWanted: false,
  };
  const active = new Map<Promise<void>, number>();

  const look = async (): Promise<void> => {
    while (state.isWanted && !state.stopped) {
      state.isWanted = false;
      await startSending().catch((error: unknown) =>
        hub.log.error({ err: error }, "webhooks could not be looked for"),
      );
    }
  };
  const wake = (): void => {
    state.isWanted = true;
    if (state.stopped) return;
    state.looking ??= look().finally(() => {
      state.looking = undefined;
      // Somebody may have woken it as it ended.
      if (state.isWanted) wake();
    });
  };
  const startSending = async (): Promise<void> => {
    if (!(await hasWebhooks(hub.database))) return;
    await enqueueDeliveries(hub.database, hub.clock());
    const freeLeases = maxLeases - active.size;
    if (freeLeases <= 0) return;
    const leases = await acquireLeases(hub.database, {
      now: hub.clock(),
      maxLeases: freeLeases,
      maxLeasesPerAccount,
      activeAccounts: [...active.values()],
    });
    for (const lease of leases) {
      const sending = sendDue(hub, lease, state)
        .catch((error: unknown) =>
          hub.log.error({ err: error, webhook: lease.id }, "a webhook could not be served"),
        )
        .finally(() => {
          active.delete(sending);
          wake();
        });
      active.set(sending, lease.account_id);
    }
  };
  const idle = async (): Promise<void> => {
    while (state.looking !== undefined || active.size > 0)
      await (state.looking ?? Promise.race(active.keys()));
  };
  return {
    wake,
    idle,
    stop() {
      state.stopped = true;
      return idle();
    },
  };
}

/** Sends the due deliveries of a leased webhook in order, until the receiver fails or the time is up. */
async function sendDue(
  hub: Hub,
  lease: Lease,
  state: { readonly stopped: boolean },
): Promise<void> {
  const end = hub.clock().getTime() + sendMilliseconds;
  let outcome: Awaited<ReturnType<typeof deliverNext>>;
  do outcome = await deliverNext(hub, lease);
  while (
    outcome !== undefined &&
    outcome !== "away" &&
    !state.stopped &&
    hub.clock().getTime() < end
  );
  if (outcome !== "away") await releaseLease(hub.database, lease, hub.clock());
}
