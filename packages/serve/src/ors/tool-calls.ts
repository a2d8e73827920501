import { randomUUID } from "node:crypto";

/** The limits within which results of ended calls stay available. */
export interface RetentionLimits {
  readonly retentionMs: number;
  /** The maximum size of all results together. */
  readonly maxCharacters: number;
}

interface ToolCall {
  readonly sessionId: string;
  readonly result: Promise<string>;
  /** The size in characters; set when the call ends. */
  size: number | undefined;
}

/** The size of a call without its result, in characters. */
const callOverhead = 500;

/** Running calls and the results of recent ones. A client whose stream broke requests the result again by the call's id. */
export class ToolCalls {
  readonly #limits: RetentionLimits;
  readonly #running = new Map<string, ToolCall>();
  /** Ended calls, in the order in which they ended. */
  readonly #ended = new Map<string, ToolCall>();
  #endedSize = 0;

  constructor(limits: RetentionLimits = { retentionMs: 60_000, maxCharacters: 32 * 2 ** 20 }) {
    this.#limits = limits;
  }

  /** Adds a session's call, and returns its id. */
  add(sessionId: string, result: Promise<string>): string {
    const id = randomUUID();
    const call: ToolCall = { sessionId, result, size: undefined };
    this.#running.set(id, call);
    const end = (length: number): void => this.#end(id, call, length);
    result.then(
      (text) => end(text.length),
      () => end(0),
    );
    return id;
  }

  /** The result of a session's call; `undefined` if the id is unknown or has expired. */
  find(sessionId: string, id: string): Promise<string> | undefined {
    const call = this.#running.get(id) ?? this.#ended.get(id);
    return call?.sessionId === sessionId ? call.result : undefined;
  }

  #end(id: string, call: ToolCall, length: number): void {
    this.#running.delete(id);
    this.#ended.set(id, call);
    call.size = length + callOverhead;
    this.#endedSize += call.size;
    setTimeout(() => this.#delete(id), this.#limits.retentionMs).unref();
    for (const oldest of this.#ended.keys()) {
      if (this.#endedSize <= this.#limits.maxCharacters || oldest === id) break;
      this.#delete(oldest);
    }
  }

  #delete(id: string): void {
    this.#endedSize -= this.#ended.get(id)?.size ?? 0;
    this.#ended.delete(id);
  }
}
