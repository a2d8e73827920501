import type { Hub } from "../../platform/hub/hub.ts";
import { deliverNext } from "./deliver.ts";
import { enqueueDeliveries, hasWebhooks } from "./enqueue.ts";
import { acquireLeases, type Lease, releaseLease } from "./lease.ts";

const pollMilliseconds = 30_000;
/** The number of webhooks to which one process sends concurrently. */
const maxLeases = 32;
/** Prevents one account's unavailable receivers from delaying those of other accounts. */
const maxLeasesPerAccount = 8;
/** A worker sends to one webhook for this long, then releases its lease so that waiting webhooks come first. */
const sendMilliseconds = 20_000;

interface Deliveries {
  /** Starts a search for due deliveries, now or after the current one. */
  readonly wake: () => void;
  /** Resolves when every due delivery has been attempted. */
  readonly idle: () => Promise<void>;
  /** Stops starting deliveries and resolves when the current ones have ended. */
  readonly stop: () => Promise<void>;
}

/** Delivers events to webhooks until `stop`: at once after an event, and every 30 s for retries. */
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

/** Attempts every due delivery once and resolves afterwards. */
export async function deliverDue(hub: Hub): Promise<void> {
  const deliveries = makeDeliveries(hub);
  deliveries.wake();
  await deliveries.idle();
}

/** Sends to each webhook concurrently, so that a slow receiver does not delay the others. */
function makeDeliveries(hub: Hub): Deliveries {
  const state: { stopped: boolean; isPending: boolean; search?: Promise<void> | undefined } = {
    stopped: false,
    isPending: false,
  };
  const active = new Map<Promise<void>, number>();

  const search = async (): Promise<void> => {
    while (state.isPending && !state.stopped) {
      state.isPending = false;
      await startSending().catch((error: unknown) =>
        hub.log.error({ err: error }, "the search for due deliveries failed"),
      );
    }
  };
  const wake = (): void => {
    state.isPending = true;
    if (state.stopped) return;
    state.search ??= search().finally(() => {
      state.search = undefined;
      // wake() may have been called as the search ended.
      if (state.isPending) wake();
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
          hub.log.error({ err: error, webhook: lease.id }, "sending to a webhook failed"),
        )
        .finally(() => {
          active.delete(sending);
          wake();
        });
      active.set(sending, lease.account_id);
    }
  };
  const idle = async (): Promise<void> => {
    while (state.search !== undefined || active.size > 0)
      await (state.search ?? Promise.race(active.keys()));
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

/** Sends the due deliveries of a leased webhook in order, until the receiver is unavailable or 20 s have passed. */
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
    outcome !== "unavailable" &&
    !state.stopped &&
    hub.clock().getTime() < end
  );
  if (outcome !== "unavailable") await releaseLease(hub.database, lease, hub.clock());
}
