import pLimit from "p-limit";
import type * as z from "zod";

import { model, session, ticket } from "./answers.ts";
import type { Client } from "./client.ts";
import { retrieve } from "./retrieve.ts";
import { ServiceError } from "./service-error.ts";

/** The model that a run trains. */
export interface RunOptions {
  readonly baseModel: string;
  readonly loraRank: number;
  readonly seed: number;
  /** How long an operation may take, in milliseconds. */
  readonly timeout: number;
  /** How often to say that the run goes on, in milliseconds. Default: ten seconds. */
  readonly heartbeat?: number;
  /** What the end of the run aborts. */
  readonly over: AbortController;
  /** Ends with the run, or earlier. */
  readonly signal: AbortSignal;
}

/** Something that is done to the model. */
export interface Operation<Result> {
  readonly route: string;
  /** What is sent with the operation's number. */
  readonly body: (number: number) => object;
  readonly answer: z.ZodType<Result>;
  /** Does no harm if it is done twice, under two numbers. */
  readonly isRepeatable?: boolean;
}

/** A session with a service, and the model that it trains. */
export class Run {
  readonly client: Client;
  readonly sessionId: string;
  readonly modelId: string;
  readonly timeout: number;
  readonly #signal: AbortSignal;
  readonly #over: AbortController;
  readonly #inOrder = pLimit(1);
  readonly #heart: ReturnType<typeof setInterval>;
  #operations = 0;

  private constructor(
    client: Client,
    ids: Record<"session" | "model", string>,
    options: RunOptions,
  ) {
    this.client = client;
    this.sessionId = ids.session;
    this.modelId = ids.model;
    this.timeout = options.timeout;
    this.#signal = options.signal;
    this.#over = options.over;
    this.#heart = setInterval(() => void this.#beat(), options.heartbeat ?? 10_000);
    // In a browser it is a number, which holds no program open.
    if (typeof this.#heart === "object") this.#heart.unref();
  }

  /** Opens a session and creates a model in it. */
  static async start(client: Client, options: RunOptions): Promise<Run> {
    const { baseModel, loraRank, seed, timeout, signal } = options;
    const opened = await client.ask({
      route: "create_session",
      body: { type: "create_session", tags: ["envs"], user_metadata: null, sdk_version: "0.0.0" },
      answer: session,
    });
    if (opened.error_message) throw new ServiceError(`The service says: ${opened.error_message}`);
    const { request_id: requestId } = await client.ask({
      route: "create_model",
      body: {
        type: "create_model",
        session_id: opened.session_id,
        model_seq_id: 0,
        base_model: baseModel,
        lora_config: { rank: loraRank, seed },
      },
      answer: ticket,
    });
    const owed = { requestId, route: "create_model", answer: model, timeout, signal };
    const { model_id: modelId } = await retrieve(client, owed);
    return new Run(client, { session: opened.session_id, model: modelId }, options);
  }

  /**
   * Does something to the model, after everything that was asked for before. The number that goes with it lets a request
   * be sent again, when its answer was lost, without being done again.
   */
  async perform<Result>(operation: Operation<Result>): Promise<Result> {
    const { route, answer, isRepeatable = false } = operation;
    const { timeout } = this;
    const signal = this.#signal;
    const requestId = await this.#submit(operation).catch((error: unknown) => {
      // To SkyRL, a name that was sent again is a conflict with itself.
      if (!isRepeatable || !(error instanceof ServiceError) || error.status !== 409) throw error;
      return this.#submit(operation);
    });
    return retrieve(this.client, { requestId, route, answer, timeout, signal });
  }

  /** Frees what the service holds for the run; checkpoints stay. */
  async end(): Promise<void> {
    clearInterval(this.#heart);
    this.#over.abort(new ServiceError("The backend was closed."));
    await this.client.mention({
      route: "unload_model",
      body: { type: "unload_model", model_id: this.modelId },
    });
  }

  #submit({ route, body }: Operation<unknown>): Promise<string> {
    return this.#inOrder(async () => {
      const number = (this.#operations += 1);
      const { request_id: requestId } = await this.client.ask({
        route,
        body: { ...body(number), model_id: this.modelId, seq_id: number },
        answer: ticket,
      });
      return requestId;
    });
  }

  async #beat(): Promise<void> {
    await this.client.mention({
      route: "session_heartbeat",
      body: { type: "session_heartbeat", session_id: this.sessionId },
    });
  }
}
