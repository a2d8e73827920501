import { ConfigError } from "@envs/core";
import { redactUrl } from "@envs/core/engine";
import ky, { type KyInstance, isNetworkError, isTimeoutError } from "ky";
import type * as z from "zod";

import { parseResponse } from "./responses.ts";
import { contentError, ServiceError, toServiceError } from "./service-error.ts";

/** A request, and the schema of its response. */
export interface ServiceRequest<Result> {
  readonly route: string;
  /** An object is sent as JSON, bytes as protobuf. Default: none, and the request is a GET. */
  readonly body?: object | Uint8Array<ArrayBuffer> | undefined;
  readonly response: z.ZodType<Result>;
  /** Decodes a response that is protobuf to the form that it has in JSON. Default: protobuf is not accepted. */
  readonly decode?: ((bytes: Uint8Array) => unknown) | undefined;
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

const protobufType = "application/x-protobuf";

/** An HTTP client of a Tinker-compatible service. Retries requests that fail for a transient reason. */
export class ServiceClient {
  readonly baseURL: string;
  readonly #http: KyInstance;
  readonly #signal: AbortSignal;
  readonly #headers: Readonly<Record<string, string>>;
  #hasResponded = false;

  constructor({ baseURL, apiKey, retries, signal }: ServiceClientOptions) {
    if (URL.canParse(baseURL) && `${new URL(baseURL).username}${new URL(baseURL).password}` !== "")
      throw new ConfigError(
        `The base URL ${redactUrl(baseURL)} contains a user name or a password. Pass an apiKey instead.`,
      );
    this.baseURL = baseURL.replace(/\/+$/u, "").replace(/\/api\/v1$/u, "");
    this.#signal = signal;
    this.#headers = apiKey === undefined ? {} : { "X-API-Key": apiKey };
    this.#http = ky.create({
      prefix: `${this.baseURL}/api/v1`,
      headers: this.#headers,
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

  /** Downloads a file. A redirection to another server does not receive the API key. */
  async download(route: string): Promise<Uint8Array> {
    const response = await this.#send(
      { route },
      { redirect: "manual", throwHttpErrors: (status: number) => status >= 400 },
    );
    const location = response.headers.get("location");
    if (location === null) return response.bytes();
    const url = new URL(location, response.url || this.baseURL);
    const isSameOrigin = url.origin === new URL(this.baseURL).origin;
    const headers = isSameOrigin ? this.#headers : {};
    try {
      return await ky(url, { headers, signal: this.#signal, timeout: 600_000 }).bytes();
    } catch (error) {
      this.#signal.throwIfAborted();
      throw toServiceError(error, { baseURL: url.origin, route });
    }
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
    { route, body, decode, signal }: Omit<ServiceRequest<unknown>, "response">,
    options: Parameters<KyInstance>[1],
  ): Promise<Response> {
    const signals = signal === undefined ? this.#signal : AbortSignal.any([this.#signal, signal]);
    signals.throwIfAborted();
    try {
      return await this.#http(route, {
        ...options,
        signal: signals,
        headers: {
          ...(decode === undefined ? {} : { accept: protobufType }),
          ...(body instanceof Uint8Array ? { "content-type": protobufType } : {}),
        },
        ...(body === undefined ? {} : { method: "post" }),
        ...(body instanceof Uint8Array ? { body } : { json: body }),
      });
    } catch (error) {
      signals.throwIfAborted();
      throw toServiceError(error, { baseURL: this.baseURL, route });
    }
  }

  async #parse<Result>(
    response: Response,
    { route, response: schema, decode }: ServiceRequest<Result>,
  ): Promise<Result> {
    const target = { baseURL: this.baseURL, route };
    const bytes = await response.bytes().catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw toServiceError(error, target);
    });
    const type = response.headers.get("content-type") ?? "application/json";
    const decodeBody = type.startsWith(protobufType) ? decode : type.includes("json") && parseJson;
    if (!decodeBody)
      throw contentError({ bytes, type, canBeProtobuf: decode !== undefined }, target);
    let body: unknown;
    try {
      body = decodeBody(bytes);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw contentError({ bytes, type, canBeProtobuf: decode !== undefined }, target, error);
    }
    return parseResponse(schema, body, route);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}
