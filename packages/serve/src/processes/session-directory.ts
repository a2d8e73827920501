import { LocalRegistry } from "../sessions/session-registry.ts";
import type { SessionLocation } from "./messages.ts";

/** A process that can have sessions. */
export interface SessionOwner {
  readonly socketPath: string;
}

/** The maximum numbers of closed and of lost sessions, and of claimed keys, in memory. */
const maxFormer = 20_000;

/** The primary's table of sessions and their processes. */
export class SessionDirectory {
  readonly #open: LocalRegistry<SessionOwner>;
  /** The processes of closed sessions, which still have the outcomes of their episodes. */
  readonly #closed = new Map<string, SessionOwner>();
  readonly #claimed = new Map<string, SessionOwner>();
  readonly #lost = new Map<string, true>();

  constructor(maxSessions: number) {
    this.#open = new LocalRegistry(maxSessions);
  }

  get count(): number {
    return this.#open.count;
  }

  get isDraining(): boolean {
    return this.#open.isDraining;
  }

  /** Throws a `ServeError` of code `capacity`, `draining` or `invalid-action`. */
  add(id: string, owner: SessionOwner): void {
    this.#open.addOwned(id, owner);
    this.#closed.delete(id);
    this.#lost.delete(id);
  }

  remove(id: string): void {
    const owner = this.#open.owner(id);
    if (owner === undefined) return;
    this.#open.remove(id);
    setBounded(this.#closed, id, owner);
  }

  drain(): void {
    this.#open.drain();
  }

  /** The location of a session, relative to the process `asking`. */
  locate(id: string, asking: SessionOwner): SessionLocation {
    if (this.#lost.has(id)) return { state: "lost" };
    return location(this.#open.owner(id) ?? this.#closed.get(id), asking);
  }

  /** The process of a key: the first that claimed it. */
  claim(key: string, asking: SessionOwner): SessionLocation {
    const owner = this.#claimed.get(key) ?? asking;
    setBounded(this.#claimed, key, owner);
    return location(owner, asking);
  }

  countOf(owner: SessionOwner): number {
    return this.#open.idsOf(owner).length;
  }

  /** Frees the sessions of a process that has ended. Later requests for them fail with the code `lost`. */
  lose(owner: SessionOwner): void {
    for (const id of this.#open.idsOf(owner)) {
      this.#open.remove(id);
      setBounded(this.#lost, id, true);
    }
    for (const map of [this.#closed, this.#claimed])
      for (const [key, other] of map) if (other === owner) map.delete(key);
  }
}

function location(owner: SessionOwner | undefined, asking: SessionOwner): SessionLocation {
  if (owner === undefined) return { state: "unknown" };
  return owner === asking
    ? { state: "here" }
    : { state: "elsewhere", socketPath: owner.socketPath };
}

function setBounded<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxFormer) map.delete(map.keys().next().value!);
}
