import { ConfigError } from "@envs/core";
import { redactUrl } from "@envs/core/records";
import ky, { type KyInstance, isNetworkError, isTimeoutError } from "ky";
import type * as z from "zod";

import { parseResponse } from "./responses.ts";
import { ServiceError, toServiceError } from "./service-error.ts";

/** A request, and the schema of its response. */
export interface ServiceRequest<Result> {
  readonly route: string;
  /** Default: none, and the request is a GET. */
  readonly body?: object | undefined;
  readonly response: z.ZodType<Result>;
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceClientOptions {
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  readonly retries: number;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

const requestTimeoutMs = 60_000;

/** An HTTP client of a Tinker-compatible service. Retries requests that fail for a transient reason. */
export class ServiceClient {
  readonly baseURL: string;
  readonly #http: KyInstance;
  readonly #signal: AbortSignal;
  #hasResponded = false;

  constructor({ baseURL, apiKey, retries, signal }: ServiceClientOptions) {
    if (URL.canParse(baseURL) && `${new URL(baseURL).username}${new URL(baseURL).password}` !== "")
      throw new ConfigError(
        `The base URL ${redactUrl(baseURL)} contains a user name or a password. Pass an apiKey instead.`,
      );
    this.baseURL = baseURL.replace(/\/+$/u, "").replace(/\/api\/v1$/u, "");
    this.#signal = signal;
    this.#http = ky.create({
      prefix: `${this.baseURL}/api/v1`,
      headers: apiKey === undefined ? {} : { "X-API-Key": apiKey },
      timeout: requestTimeoutMs,
      retry: {
        limit: retries,
        methods: ["get", "post"],
        statusCodes: [408, 425, 429, 500, 502, 503, 504],
        afterStatusCodes: [429, 503],
        maxRetryAfter: 120_000,
        backoffLimit: 30_000,
        jitter: true,
        retryOnTimeout: true,
        // Without any response so far, the address is more likely wrong than the network unreliable.
        shouldRetry: ({ error }) =>
          isNetworkError(error) && !this.#hasResponded ? false : undefined,
      },
      hooks: { afterResponse: [() => void (this.#hasResponded = true)] },
    });
  }

  /** Sends a request and retries it. */
  async request<Result>(request: ServiceRequest<Result>): Promise<Result> {
    return this.#parse(await this.#send(request, {}), request);
  }

  /** Sends a request once and ignores failures. Works after the signal was aborted. */
  async notify({ route, body }: Pick<ServiceRequest<unknown>, "route" | "body">): Promise<void> {
    await this.#http.post(route, { json: body, retry: 0, timeout: 5000 }).catch(() => undefined);
  }

  /** Like `request`, but returns `undefined` if the request times out, on either side. */
  async poll<Result>(request: ServiceRequest<Result>): Promise<Result | undefined> {
    const response = await this.#send(request, {
      throwHttpErrors: (status: number) => status !== 408,
      retry: { retryOnTimeout: false },
    }).catch((error: unknown) => {
      if (error instanceof ServiceError && isTimeoutError(error.cause)) return undefined;
      throw error;
    });
    return response === undefined || response.status === 408
      ? undefined
      : this.#parse(response, request);
  }

  async #send(
    { route, body, signal }: ServiceRequest<unknown>,
    options: Parameters<KyInstance>[1],
  ): Promise<Response> {
    const signals = signal === undefined ? this.#signal : AbortSignal.any([this.#signal, signal]);
    signals.throwIfAborted();
    try {
      return await this.#http(route, {
        ...options,
        signal: signals,
        ...(body === undefined ? {} : { method: "post", json: body }),
      });
    } catch (error) {
      signals.throwIfAborted();
      throw toServiceError(error, { baseURL: this.baseURL, route });
    }
  }

  async #parse<Result>(
    response: Response,
    { route, response: schema }: ServiceRequest<Result>,
  ): Promise<Result> {
    const body = await response.json().catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw toServiceError(error, { baseURL: this.baseURL, route });
    });
    return parseResponse(schema, body, route);
  }
}
