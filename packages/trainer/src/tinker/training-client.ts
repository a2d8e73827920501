import pLimit from "p-limit";
import type * as z from "zod";

import { future, model, session } from "./responses.ts";
import { retrieveResult } from "./retrieve-result.ts";
import type { ServiceClient } from "./service-client.ts";
import { ServiceError } from "./service-error.ts";

export interface TrainingClientOptions {
  readonly baseModel: string;
  readonly loraRank: number;
  readonly seed: number;
  /** Timeout of an operation. */
  readonly timeoutMs: number;
  /** Default 10,000. */
  readonly heartbeatMs?: number | undefined;
  /** `close()` aborts it. */
  readonly closing: AbortController;
  /** Aborts all operations. Aborted by `closing`, or earlier. */
  readonly signal: AbortSignal;
}

/** An operation on the model. */
export interface Operation<Result> {
  readonly route: string;
  /** Returns the request's body for the operation's number. */
  readonly body: (number: number) => object;
  readonly response: z.ZodType<Result>;
  /** The operation may be performed twice, under two numbers. Default false. */
  readonly isRepeatable?: boolean | undefined;
}

/** A session on a service, with one model in training. */
export class TrainingClient {
  readonly service: ServiceClient;
  readonly sessionId: string;
  readonly modelId: string;
  readonly timeoutMs: number;
  readonly #signal: AbortSignal;
  readonly #closing: AbortController;
  readonly #queue = pLimit(1);
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #operations = 0;

  private constructor(
    service: ServiceClient,
    ids: Record<"session" | "model", string>,
    options: TrainingClientOptions,
  ) {
    this.service = service;
    this.sessionId = ids.session;
    this.modelId = ids.model;
    this.timeoutMs = options.timeoutMs;
    this.#signal = options.signal;
    this.#closing = options.closing;
    this.#heartbeat = setInterval(() => void this.#sendHeartbeat(), options.heartbeatMs ?? 10_000);
    // Browsers return a number, which has no unref().
    if (typeof this.#heartbeat === "object") this.#heartbeat.unref();
  }

  /** Opens a session and creates a model in it. */
  static async open(
    service: ServiceClient,
    options: TrainingClientOptions,
  ): Promise<TrainingClient> {
    const { baseModel, loraRank, seed, timeoutMs, signal } = options;
    const { session_id: sessionId, error_message: message } = await service.request({
      route: "create_session",
      body: { type: "create_session", tags: ["envs"], user_metadata: null, sdk_version: "0.0.0" },
      response: session,
    });
    if (message) throw new ServiceError(`The service did not open a session: ${message}`);
    const { request_id: requestId } = await service.request({
      route: "create_model",
      body: {
        type: "create_model",
        session_id: sessionId,
        model_seq_id: 0,
        base_model: baseModel,
        lora_config: { rank: loraRank, seed },
      },
      response: future,
    });
    const pending = { requestId, route: "create_model", response: model, timeoutMs, signal };
    const { model_id: modelId } = await retrieveResult(service, pending);
    return new TrainingClient(service, { session: sessionId, model: modelId }, options);
  }

  /**
   * Performs an operation after all earlier ones. Its number identifies it: if a response is lost, the client sends the
   * request again, and the service does not perform the operation twice.
   */
  async perform<Result>(operation: Operation<Result>): Promise<Result> {
    const { route, response, isRepeatable = false } = operation;
    const { timeoutMs } = this;
    const signal = this.#signal;
    const requestId = await this.#submit(operation).catch((error: unknown) => {
      // SkyRL rejects a repeated checkpoint name as a conflict, also in a retry of the same request.
      if (!isRepeatable || !(error instanceof ServiceError) || error.status !== 409) throw error;
      return this.#submit(operation);
    });
    return retrieveResult(this.service, { requestId, route, response, timeoutMs, signal });
  }

  /** Aborts all operations and unloads the model. Checkpoints stay on the service. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#closing.abort(new ServiceError("The backend was closed."));
    await this.service.notify({
      route: "unload_model",
      body: { type: "unload_model", model_id: this.modelId },
    });
  }

  #submit({ route, body }: Operation<unknown>): Promise<string> {
    return this.#queue(async () => {
      const number = (this.#operations += 1);
      const { request_id: requestId } = await this.service.request({
        route,
        body: { ...body(number), model_id: this.modelId, seq_id: number },
        response: future,
      });
      return requestId;
    });
  }

  async #sendHeartbeat(): Promise<void> {
    await this.service.notify({
      route: "session_heartbeat",
      body: { type: "session_heartbeat", session_id: this.sessionId },
    });
  }
}
