import { assistantMessage, type ModelResponse } from "@envs/core";
import { type AgentCall, isRolloutError, messageOf, now, omitUndefined } from "@envs/core/engine";

import { estimateUsage } from "./estimate.ts";

/** What a record has of a call before its reply. */
type AskedCall = Pick<
  AgentCall,
  "dialect" | "requestedModel" | "isHelper" | "sampling" | "effort" | "messages" | "tools"
>;

/** A call of the model that is not recorded yet: its reply has not ended. */
export class OpenCall {
  /** Reads the part of a streamed reply that has arrived. */
  received: (() => ModelResponse | undefined) | undefined;
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
  answered({ server, message, finish, usage: reported, tokens }: ModelResponse): AgentCall {
    const model = { start: this.#start, end: now() };
    const usage = reported ?? estimateUsage({ ...this.#asked, message }, undefined);
    return { ...this.#asked, ...omitUndefined({ server }), message, finish, usage, tokens, model };
  }

  /** The record of the call with the part of its reply that has arrived, and the reason for the end. */
  incomplete(reason: unknown): AgentCall {
    const { server, message, usage } = this.#read();
    const { status } = isRolloutError(reason) ? reason : {};
    const report = status === undefined ? server : { ...server, status };
    return {
      ...this.#asked,
      ...omitUndefined({ server: report }),
      message,
      finish: "length",
      error: messageOf(reason),
      // Providers do not charge for requests that they reject.
      usage:
        server === undefined && status !== undefined
          ? { inputTokens: 0, outputTokens: 0, isEstimated: true }
          : estimateUsage({ ...this.#asked, message }, usage),
      tokens: undefined,
      model: { start: this.#start, end: now() },
    };
  }

  #read(): Pick<ModelResponse, "message" | "usage" | "server"> {
    const nothing = { message: assistantMessage("") };
    try {
      return this.received?.() ?? nothing;
    } catch {
      // A reply of another form, or an error of the server.
      return nothing;
    }
  }
}
