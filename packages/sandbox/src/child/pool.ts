import type { Limits } from "../sandbox.ts";
import type { Peer } from "./peer.ts";

/** The source of processes for sandboxes, to which they return. */
export interface PeerSource {
  /** A process that waits for its first request. */
  take(limits: Limits): Promise<Peer>;
  /** Receives an idle process whose sandbox is closed. */
  giveBack(peer: Peer): void;
}

export interface PoolOptions {
  readonly start: (limits: Limits) => Peer | Promise<Peer>;
  /** The limits that a process is started for. Default: it does not depend on them. */
  readonly keyOf?: ((limits: Limits) => string) | undefined;
  /** The number of processes that start in advance after the first call. Default 0. */
  readonly warm?: number | undefined;
  /** The number of processes that wait for another sandbox after theirs is closed. Default 0. */
  readonly reused?: number | undefined;
}

/** The milliseconds that an idle process waits before it ends. */
const idleMs = 60_000;
const startMs = 60_000;

/** Keeps processes that have started and wait for code. They end with this process, or after a minute. */
export function peerPool({
  start,
  keyOf = () => "",
  warm = 0,
  reused = 0,
}: PoolOptions): PeerSource {
  const queues = new Map<string, WaitingPeers>();
  const keys = new WeakMap<Peer, string>();
  const queueOf = (key: string): WaitingPeers => {
    let queue = queues.get(key);
    if (queue === undefined) queues.set(key, (queue = new WaitingPeers()));
    return queue;
  };
  const refill = (queue: WaitingPeers, limits: Limits): void => {
    for (; queue.size + queue.starting < warm; queue.starting += 1)
      void startPeer(start, limits)
        .then((peer) => queue.add(peer))
        // Ignores the error: the next call starts a process itself, and receives it.
        .catch(() => {})
        .finally(() => (queue.starting -= 1));
  };
  return {
    async take(limits) {
      const key = keyOf(limits);
      const queue = queueOf(key);
      const peer = queue.next() ?? (await startPeer(start, limits));
      keys.set(peer, key);
      refill(queue, limits);
      return peer;
    },
    giveBack(peer) {
      const queue = queueOf(keys.get(peer) ?? "");
      if (queue.size < reused) queue.add(peer);
      else peer.kill("aborted");
    },
  };
}

class WaitingPeers {
  readonly #timers = new Map<Peer, NodeJS.Timeout>();
  starting = 0;

  get size(): number {
    return this.#timers.size;
  }

  add(peer: Peer): void {
    const timer = setTimeout(() => {
      this.#timers.delete(peer);
      peer.kill("aborted");
    }, idleMs);
    this.#timers.set(peer, timer.unref());
  }

  next(): Peer | undefined {
    for (const [peer, timer] of this.#timers) {
      this.#timers.delete(peer);
      clearTimeout(timer);
      if (peer.ending === undefined) return peer;
    }
    return undefined;
  }
}

async function startPeer(start: PoolOptions["start"], limits: Limits): Promise<Peer> {
  const peer = await start(limits);
  const reply = await peer.ask(undefined, { ms: startMs, maxBytes: 1024 });
  if (reply?.type === "ready") return peer;
  peer.kill("broken");
  throw new Error(
    `The process of a sandbox did not start (${peer.ending}): ${peer.errors || "no error output"}`,
  );
}
