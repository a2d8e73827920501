import { randomUUID } from "node:crypto";

import {
  type Message,
  type ModelResponse,
  random,
  type RolloutError,
  type Sampling,
} from "@envs/core";
import {
  type AgentCall,
  asRolloutError,
  checkResponse,
  mergeSampling,
  now,
  omitUndefined,
  onAbort,
  type RelayedCall,
  type ToolSpec,
} from "@envs/core/engine";
import { checkMedia, type HttpReply } from "@envs/models/server";

import type { AgentTools } from "./agent/agent-tools.ts";
import { BodyParser, type ParsedBody } from "./body-parser.ts";
import type { DecodedCall, Dialect, DialectRequest, SessionMemory } from "./dialects/dialect.ts";
import { SharedLists } from "./dialects/shared-lists.ts";
import { stoppedError } from "./dialects/wire-error.ts";
import { estimateTokens } from "./estimate.ts";
import { limitReached } from "./limits.ts";
import { OpenCall } from "./open-call.ts";
import { PendingCall } from "./pending-call.ts";
import { relay, relayedHeaders } from "./relay.ts";
import { RepeatableCalls } from "./repeatable-calls.ts";
import { modelNames, routeOf, type SessionModels } from "./routing.ts";
import type { SessionOptions } from "./session-options.ts";

/** A request with its body as the client has sent it. */
interface SentRequest extends Omit<DialectRequest, "memory" | "json"> {
  readonly body: Buffer;
}

interface AskedCall extends ParsedBody {
  readonly open: OpenCall;
  readonly model: SessionModels["model"];
  readonly dialect: Dialect;
  readonly decoded: DecodedCall;
  readonly sampling: Sampling;
  readonly request: SentRequest;
  readonly signal: AbortSignal;
  readonly write: (event: string) => void;
}

/** The model calls of one rollout. */
export class Session {
  /** Identifies the rollout: a key of the API, and a part of a path. */
  readonly secret = `rollout-${randomUUID()}`;
  readonly calls: AgentCall[] = [];
  /** Why the last call failed; `undefined` if a later one succeeded. */
  failure: RolloutError | undefined;
  /** The limit that the session has reached. */
  stopReason: string | undefined;
  readonly #options: SessionOptions;
  readonly #retryGrace: number;
  readonly #memory: SessionMemory = new Map();
  /** The calls that are not recorded yet. */
  readonly #open = new Map<OpenCall, PendingCall>();
  readonly #repeatable = new RepeatableCalls();
  readonly #parser = new BodyParser();
  readonly #messages = new SharedLists<Message>();
  readonly #tools = new SharedLists<readonly ToolSpec[]>();
  readonly #seeds: ReturnType<typeof random>;
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(options: SessionOptions, { retryGrace }: { readonly retryGrace: number }) {
    this.#options = options;
    this.#retryGrace = retryGrace;
    this.#seeds = random(options.seed ?? 0, "gateway");
    this.#unsubscribe = onAbort(options.signal, () => this.close());
  }

  /**
   * Starts a call, or finds the one that a client repeats. Throws an `HttpError` for a request that is not valid, and once the
   * session has ended. `isRetry`: the request has the header of a retry.
   */
  call(
    dialect: Dialect,
    request: SentRequest,
    { isRetry }: { readonly isRetry: boolean },
  ): PendingCall {
    const same = this.#repeatable.find(request, { isRetry });
    if (same !== undefined) return same;
    this.#checkOpen();
    const parsed = this.#parser.parse(request.body);
    const decoded = this.#decode(dialect, { ...request, json: parsed.json });
    const { messages, tools } = decoded.input;
    const { model, isHelper } = routeOf(this.#options, decoded.model, dialect);
    checkMedia(model, messages);
    const overrides = isHelper ? undefined : this.#options.sampling;
    const sampling = omitUndefined(mergeSampling(decoded.input.sampling, overrides));
    const open = new OpenCall({
      dialect: dialect.name,
      requestedModel: decoded.model,
      ...(isHelper && { isHelper }),
      ...(Object.keys(sampling).length > 0 && { sampling }),
      ...omitUndefined({ effort: decoded.effort }),
      messages,
      tools,
    });
    const pending = new PendingCall({
      isStream: decoded.isStream,
      retryGrace: this.#retryGrace,
      ask: (signal, write) =>
        this.#ask({ ...parsed, open, model, dialect, decoded, sampling, request, signal, write }),
    });
    this.#open.set(open, pending);
    this.#repeatable.add(request, pending);
    return pending;
  }

  /** Estimates the tokens of a call, because models of ours do not count them. */
  count(dialect: Dialect, request: SentRequest): number {
    const { json } = this.#parser.parse(request.body);
    const { input } = dialect.decode({ ...request, json, memory: this.#memory });
    return estimateTokens([input.messages, input.tools]);
  }

  /** The names of the models that the agent can ask for. Without helpers, every name works. */
  get models(): readonly string[] {
    const { helpers = {} } = this.#options;
    return Object.keys(helpers).length === 0 ? ["model"] : modelNames(this.#options);
  }

  get tools(): AgentTools {
    return this.#options.tools?.() ?? {};
  }

  /** Cancels the calls that run, and rejects later ones. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unsubscribe();
    for (const pending of this.#open.values()) pending.cancel(new Error("The rollout has ended."));
    this.#repeatable.clear();
  }

  /** Reads a call, whose messages and tools are those of earlier calls if they are equal. */
  #decode(dialect: Dialect, request: Omit<DialectRequest, "memory">): DecodedCall {
    const decoded = dialect.decode({ ...request, memory: this.#memory });
    const { messages, tools } = decoded.input;
    const input = {
      ...decoded.input,
      messages: this.#messages.share(messages),
      tools: tools && this.#tools.share([tools])[0],
    };
    return { ...decoded, input };
  }

  #checkOpen(): void {
    if (this.#isClosed) throw stoppedError("it has ended.");
    this.stopReason ??= limitReached(this.#options, this.calls, [...this.#open.keys()]);
    if (this.stopReason !== undefined) throw stoppedError(`${this.stopReason}.`);
  }

  async #ask(asked: AskedCall): Promise<HttpReply> {
    const { open, model, dialect, decoded, sampling, request: sent, signal, write } = asked;
    const { messages, tools, format } = decoded.input;
    const toolChoice = tools === undefined ? undefined : decoded.input.toolChoice;
    const read = { messages, tools, toolChoice, format };
    const { isStream, isRelayable = true, onRelayed: onReply } = decoded;
    const relayed = relay({
      dialect: dialect.name,
      isComplete: isRelayable,
      isStream,
      headers: relayedHeaders(dialect, sent),
      body: asked.json as RelayedCall["body"],
      fields: asked.fields,
      read,
      write,
      onStream: (received) => (open.received = received),
      onReply,
    });
    const request = {
      ...read,
      relay: relayed.call,
      sampling,
      seed: this.#seeds.int(2 ** 31),
      session: this.#options.session,
      signal,
    };
    const response = await this.#run(open, () => model(request), signal);
    await this.#record(open, open.answered(response));
    return (
      relayed.rest() ??
      decoded.encode(response, { id: randomUUID().replaceAll("-", ""), time: now() })
    );
  }

  /**
   * Calls the model. Records a call that fails or is cancelled with the part that has arrived: a cancelled one at once, because the
   * model may ignore its signal, and the rollout may be about to end. A cancelled call is not a failure of the model.
   */
  async #run(
    open: OpenCall,
    work: () => Promise<ModelResponse>,
    signal: AbortSignal,
  ): Promise<ModelResponse> {
    let cancelled = Promise.resolve();
    const unsubscribe = onAbort(signal, () => {
      cancelled = this.#record(open, open.incomplete(signal.reason));
      // A model that ignores its signal may never let this function await the promise.
      cancelled.catch(() => undefined);
    });
    try {
      const response = checkResponse(await work());
      signal.throwIfAborted();
      this.failure = undefined;
      return response;
    } catch (error) {
      await cancelled;
      signal.throwIfAborted();
      this.failure = asRolloutError("model", "the model", error);
      await this.#record(open, open.incomplete(this.failure));
      throw this.failure;
    } finally {
      unsubscribe();
    }
  }

  async #record(open: OpenCall, call: AgentCall): Promise<void> {
    if (!this.#open.delete(open)) return;
    this.calls.push(call);
    await this.#options.onCall?.(call);
  }
}
