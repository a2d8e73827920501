import { ServeError } from "../errors.ts";

/** The ids of all open sessions of a server, whichever process they run in. */
export interface SessionRegistry {
  /** The number of open sessions, over all processes. */
  readonly count: number;
  /** Adds a session. Rejects with a {@link ServeError} of code `capacity`, `draining` or `invalid-action`. */
  add(id: string): Promise<void>;
  /** Ignores unknown ids. */
  remove(id: string): void;
  /** Rejects all later sessions. */
  drain(): void;
}

/** The registry of a server that is one process. `Owner` is what is known of each session. */
export class LocalRegistry<Owner = true> {
  readonly #maxSessions: number;
  readonly #owners = new Map<string, Owner>();
  isDraining = false;

  constructor(maxSessions: number) {
    this.#maxSessions = maxSessions;
  }

  get count(): number {
    return this.#owners.size;
  }

  owner(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  /** The ids of an owner's sessions. */
  idsOf(owner: Owner): string[] {
    return [...this.#owners].filter(([, other]) => other === owner).map(([id]) => id);
  }

  /** Throws like {@link SessionRegistry.add}. */
  addOwned(id: string, owner: Owner): void {
    if (this.isDraining)
      throw new ServeError(
        "draining",
        "The server is shutting down and does not accept new sessions. Try again in a moment.",
      );
    if (this.#owners.has(id))
      throw new ServeError("invalid-action", "This session already exists.");
    if (this.#owners.size >= this.#maxSessions)
      throw new ServeError(
        "capacity",
        `All ${this.#maxSessions} sessions are in use. Close some, or start the server with a higher limit.`,
      );
    this.#owners.set(id, owner);
  }

  remove(id: string): void {
    this.#owners.delete(id);
  }

  drain(): void {
    this.isDraining = true;
  }
}

/** The registry of a server whose episodes run in this process. */
export function inlineRegistry(maxSessions: number): SessionRegistry {
  const registry = new LocalRegistry(maxSessions);
  return {
    get count() {
      return registry.count;
    },
    add: async (id) => registry.addOwned(id, true),
    remove: (id) => registry.remove(id),
    drain: () => registry.drain(),
  };
}
