import { randomUUID } from "node:crypto";

/** How long results are kept, and how many. */
export interface CallLimits {
  /** In milliseconds. */
  readonly keptFor: number;
  /** In characters, all results together. */
  readonly mostKept: number;
}

interface Call {
  readonly owner: string;
  readonly result: Promise<string>;
  /** Set once the call has ended. */
  size: number | undefined;
}

/** What a call weighs besides its result. */
const ownWeight = 500;

/** Calls that are under way, and the results of those that ended of late: whoever lost a stream asks for them again. */
export class Calls {
  readonly #limits: CallLimits;
  /** Ended calls in the order in which they ended, after those that are under way. */
  readonly #running = new Map<string, Call>();
  readonly #ended = new Map<string, Call>();
  #size = 0;

  constructor(limits: CallLimits = { keptFor: 60_000, mostKept: 32 * 2 ** 20 }) {
    this.#limits = limits;
  }

  /** Starts a call of a session, and gives its id. */
  start(owner: string, result: Promise<string>): string {
    const id = randomUUID();
    const call: Call = { owner, result, size: undefined };
    this.#running.set(id, call);
    const end = (length: number): void => this.#end(id, call, length);
    result.then(
      (text) => end(text.length),
      () => end(0),
    );
    return id;
  }

  /** The result of a call of this session; `undefined` if there is none such, or none any more. */
  find(owner: string, id: string): Promise<string> | undefined {
    const call = this.#running.get(id) ?? this.#ended.get(id);
    return call?.owner === owner ? call.result : undefined;
  }

  #end(id: string, call: Call, length: number): void {
    this.#running.delete(id);
    this.#ended.set(id, call);
    call.size = length + ownWeight;
    this.#size += call.size;
    setTimeout(() => this.#forget(id), this.#limits.keptFor).unref();
    for (const oldest of this.#ended.keys()) {
      if (this.#size <= this.#limits.mostKept || oldest === id) break;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    this.#size -= this.#ended.get(id)?.size ?? 0;
    this.#ended.delete(id);
  }
}
