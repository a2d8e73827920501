import type { Hub } from "../hub.ts";
import { deliverNext } from "./deliver.ts";
import { enqueueDeliveries, hasWebhooks } from "./enqueue.ts";
import { endTurn, takeTurns, type Turn } from "./turn.ts";

const pollMilliseconds = 30_000;
/** Webhooks that one process sends to at one moment. */
const mostTurns = 32;
/** Whoever has many receivers that are away does not hold up those of others. */
const mostOfAccount = 8;
/** How long a webhook is sent one message after another, before others that wait have their turn. */
const turnMilliseconds = 20_000;

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
  hub.onTold(deliveries.wake);
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

/** A receiver that is slow holds up no other: each webhook has turns of its own, and looking never waits for one to end. */
function makeDeliveries(hub: Hub): Deliveries {
  const state: { stopped: boolean; isWanted: boolean; looking?: Promise<void> | undefined } = {
    stopped: false,
    isWanted: false,
  };
  const turns = new Map<Promise<void>, number>();

  const look = async (): Promise<void> => {
    while (state.isWanted && !state.stopped) {
      state.isWanted = false;
      await beginTurns().catch((error: unknown) =>
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
  const beginTurns = async (): Promise<void> => {
    if (!(await hasWebhooks(hub.database))) return;
    await enqueueDeliveries(hub.database, hub.clock());
    const most = mostTurns - turns.size;
    if (most <= 0) return;
    const room = { now: hub.clock(), most, mostOfAccount, busy: [...turns.values()] };
    for (const taken of await takeTurns(hub.database, room)) {
      const turn = serve(hub, taken, state)
        .catch((error: unknown) =>
          hub.log.error({ err: error, webhook: taken.id }, "a webhook could not be served"),
        )
        .finally(() => {
          turns.delete(turn);
          wake();
        });
      turns.set(turn, taken.account_id);
    }
  };
  const idle = async (): Promise<void> => {
    while (state.looking !== undefined || turns.size > 0)
      await (state.looking ?? Promise.race(turns.keys()));
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

/** One turn of a webhook: its messages in order, until none is due, its receiver is away, or the time is up. */
async function serve(hub: Hub, turn: Turn, state: { readonly stopped: boolean }): Promise<void> {
  const end = hub.clock().getTime() + turnMilliseconds;
  let outcome: Awaited<ReturnType<typeof deliverNext>>;
  do outcome = await deliverNext(hub, turn);
  while (
    outcome !== undefined &&
    outcome !== "away" &&
    !state.stopped &&
    hub.clock().getTime() < end
  );
  if (outcome !== "away") await endTurn(hub.database, turn, hub.clock());
}
