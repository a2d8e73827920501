import { assistantMessage, type ModelResponse } from "@envs/core";
import { type AgentCall, messageOf, now } from "@envs/core/engine";

import { estimateUsage } from "./estimate.ts";

/** What a record has of a call before its reply. */
type AskedCall = Pick<AgentCall, "dialect" | "requestedModel" | "messages" | "tools">;

/** A call of the model that is not recorded yet: its reply has not ended. */
export class OpenCall {
  /** Reads the part of a streamed reply that has arrived. */
  received: (() => ModelResponse) | undefined;
  readonly #asked: AskedCall;
  readonly #start = now();

  constructor(asked: AskedCall) {
    this.#asked = asked;
  }

  /** The number of tokens that have arrived so far. */
  get outputTokens(): number {
    return this.received === undefined ? 0 : (this.incomplete("").usage?.outputTokens ?? 0);
  }

  /** The record of the call with its reply. */
  answered({ message, finish, usage, tokens }: ModelResponse): AgentCall {
    const model = { start: this.#start, end: now() };
    return { ...this.#asked, message, finish, usage, tokens, model };
  }

  /** The record of the call with the part of its reply that has arrived, and the reason for the end. */
  incomplete(reason: unknown): AgentCall {
    const { message, usage } = this.#read();
    return {
      ...this.#asked,
      message,
      finish: "length",
      error: messageOf(reason),
      usage: estimateUsage({ ...this.#asked, message }, usage),
      tokens: undefined,
      model: { start: this.#start, end: now() },
    };
  }

  #read(): Pick<ModelResponse, "message" | "usage"> {
    try {
      if (this.received !== undefined) return this.received();
    } catch {
      // A reply of another form, or an error of the server.
    }
    return { message: assistantMessage("") };
  }
}
