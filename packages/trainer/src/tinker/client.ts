import ky, { type KyInstance, isNetworkError, isTimeoutError } from "ky";
import type * as z from "zod";

import { readAnswer } from "./answers.ts";
import { explain, ServiceError } from "./service-error.ts";

/** One request, and what its answer must look like. */
export interface Call<Result> {
  readonly route: string;
  /** Left out: a GET. */
  readonly body?: object;
  readonly answer: z.ZodType<Result>;
  readonly signal?: AbortSignal;
}

export interface ClientOptions {
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  readonly retries: number;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
}

/** How long one HTTP request may wait for its answer, in milliseconds. */
const patience = 60_000;

/** Speaks JSON with a Tinker-compatible service; repeats what may be repeated. */
export class Client {
  readonly baseURL: string;
  readonly #http: KyInstance;
  readonly #signal: AbortSignal;
  #hasAnswered = false;

  constructor({ baseURL, apiKey, retries, signal }: ClientOptions) {
    this.baseURL = baseURL.replace(/\/+$/u, "").replace(/\/api\/v1$/u, "");
    this.#signal = signal;
    this.#http = ky.create({
      prefix: `${this.baseURL}/api/v1`,
      ...(apiKey === undefined ? {} : { headers: { "X-API-Key": apiKey } }),
      timeout: patience,
      retry: {
        limit: retries,
        methods: ["get", "post"],
        statusCodes: [408, 425, 429, 500, 502, 503, 504],
        afterStatusCodes: [429, 503],
        maxRetryAfter: 120_000,
        backoffLimit: 30_000,
        jitter: true,
        retryOnTimeout: true,
        // Where nobody has ever answered, the address is wrong more often than the network is bad.
        shouldRetry: ({ error }) =>
          isNetworkError(error) && !this.#hasAnswered ? false : undefined,
      },
      hooks: { afterResponse: [() => void (this.#hasAnswered = true)] },
    });
  }

  /** Asks, as often as it takes. */
  async ask<Result>(call: Call<Result>): Promise<Result> {
    const response = await this.#send(call, {});
    return this.#read(response, call);
  }

  /** Says something once, also when all is over; nobody minds if it is not heard. */
  async mention({ route, body }: Pick<Call<unknown>, "route" | "body">): Promise<void> {
    await this.#http.post(route, { json: body, retry: 0, timeout: 5000 }).catch(() => undefined);
  }

  /** Asks for something that may not be there yet: undefined. */
  async poll<Result>(call: Call<Result>): Promise<Result | undefined> {
    const response = await this.#send(call, {
      throwHttpErrors: (status: number) => status !== 408,
      retry: { retryOnTimeout: false },
    }).catch((error: unknown) => {
      if (error instanceof ServiceError && isTimeoutError(error.cause)) return undefined;
      throw error;
    });
    return response === undefined || response.status === 408
      ? undefined
      : this.#read(response, call);
  }

  async #send(
    { route, body, signal }: Call<unknown>,
    options: Parameters<KyInstance>[1],
  ): Promise<Response> {
    const all = signal === undefined ? this.#signal : AbortSignal.any([this.#signal, signal]);
    all.throwIfAborted();
    try {
      return await this.#http(route, {
        ...options,
        signal: all,
        ...(body === undefined ? {} : { method: "post", json: body }),
      });
    } catch (error) {
      all.throwIfAborted();
      throw explain(error, { baseURL: this.baseURL, route });
    }
  }

  async #read<Result>(response: Response, { route, answer }: Call<Result>): Promise<Result> {
    const body = await response.json().catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw explain(error, { baseURL: this.baseURL, route });
    });
    return readAnswer(answer, body, route);
  }
}
