import pLimit from "p-limit";
import type * as z from "zod";

import { CreatedModel, type ModelOptions } from "./created-model.ts";
import { future } from "./responses.ts";
import { retrieveResult } from "./retrieve-result.ts";
import type { ServiceClient } from "./service-client.ts";
import { ServiceError } from "./service-error.ts";
import { ServiceSession } from "./service-session.ts";

export interface TrainingClientOptions extends ModelOptions {
  /** Default 10,000. */
  readonly heartbeatMs?: number | undefined;
  /** `close()` aborts the controller, which aborts the signal of all operations. */
  readonly closing: AbortController;
}

/** An operation on the model. */
export interface Operation<Result> {
  readonly route: string;
  /** Returns the request's body for the operation's number. */
  readonly body: (number: number) => object;
  readonly response: z.ZodType<Result>;
  /** The operation in protobuf, for services that do not accept its JSON. */
  readonly protobuf?: ProtobufOperation | undefined;
  /** Whether the operation may be performed twice, under two numbers. Default false. */
  readonly isRepeatable?: boolean | undefined;
}

interface ProtobufOperation {
  readonly route: string;
  readonly encode: (modelId: string, number: number) => Uint8Array<ArrayBuffer>;
  /** Decodes the result to the form that it has in JSON. */
  readonly decode: (bytes: Uint8Array) => unknown;
}

/** A session on a service, with one model in training. */
export class TrainingClient {
  readonly service: ServiceClient;
  readonly timeoutMs: number;
  readonly #options: TrainingClientOptions;
  readonly #model: CreatedModel;
  readonly #queue = pLimit(1);
  readonly #session: ServiceSession;
  /** Whether the service rejected JSON. */
  #usesProtobuf = false;

  private constructor(
    service: ServiceClient,
    session: ServiceSession,
    options: TrainingClientOptions,
  ) {
    this.service = service;
    this.timeoutMs = options.timeoutMs;
    this.#session = session;
    this.#options = options;
    this.#model = new CreatedModel(service, session.id, options);
  }

  get sessionId(): string {
    return this.#session.id;
  }

  /** Opens a session and creates a model in it. */
  static async open(
    service: ServiceClient,
    options: TrainingClientOptions,
  ): Promise<TrainingClient> {
    const session = await ServiceSession.open(service, options.heartbeatMs);
    const client = new TrainingClient(service, session, options);
    try {
      await client.#model.create();
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /**
   * Performs an operation after all earlier ones. Its number identifies it: if a response is lost, the client sends the
   * request again, and the service does not perform the operation twice.
   */
  async perform<Result>(operation: Operation<Result>): Promise<Result> {
    const { route, response, isRepeatable = false } = operation;
    const { timeoutMs } = this;
    const { signal } = this.#options;
    const requestId = await this.#submit(operation).catch((error: unknown) => {
      // SkyRL rejects a repeated checkpoint name as a conflict, also in a retry of the same request.
      if (!isRepeatable || !(error instanceof ServiceError) || error.status !== 409) throw error;
      return this.#submit(operation);
    });
    const decode = operation.protobuf?.decode;
    return retrieveResult(this.service, { requestId, route, response, decode, timeoutMs, signal });
  }

  /** Replaces the model with a new one. */
  async renew(): Promise<void> {
    await this.#queue(async () => {
      await this.#model.unload();
      await this.#model.create();
    });
  }

  /** Aborts all operations and unloads the model. Checkpoints stay on the service. */
  async close(): Promise<void> {
    this.#session.close();
    this.#options.closing.abort(new ServiceError("The backend was closed."));
    await this.#model.release();
  }

  /** Sends an operation on a model that does not exist, which validates it, and returns the resulting error. */
  async probe(operation: Operation<unknown>): Promise<unknown> {
    const model = { id: "model-that-does-not-exist", number: 1 };
    return this.#queue(() => this.#send(operation, model).catch((error: unknown) => error));
  }

  #submit(operation: Operation<unknown>): Promise<string> {
    return this.#queue(() => {
      this.#model.operations += 1;
      const { id, operations: number } = this.#model;
      return this.#send(operation, { id, number });
    });
  }

  /** Sends JSON until the service rejects it for an operation that has a form in protobuf. Returns the id of the result. */
  async #send(
    { route, body, protobuf }: Operation<unknown>,
    { id, number }: { readonly id: string; readonly number: number },
  ): Promise<string> {
    const { service } = this;
    if (protobuf === undefined || !this.#usesProtobuf)
      try {
        const json = { ...body(number), model_id: id, seq_id: number };
        return (await service.request({ route, body: json, response: future })).request_id;
      } catch (error) {
        const isRefused = error instanceof ServiceError && error.isUnsupported;
        if (protobuf === undefined || !isRefused) throw error;
        this.#usesProtobuf = true;
      }
    const bytes = protobuf.encode(id, number);
    const request = { route: protobuf.route, body: bytes, response: future };
    return (await service.request(request)).request_id;
  }
}
