import type { Completion, SampleRequest } from "@envs/tiny-model";
import pLimit, { type LimitFunction } from "p-limit";

import { toCompletion } from "./completion.ts";
import { decodeSamples } from "./protobuf/messages.ts";
import { future, samples, samplingSession } from "./responses.ts";
import { retrieveResult } from "./retrieve-result.ts";
import type { ServiceClient } from "./service-client.ts";
import { encodeTokens } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";

export interface SamplingClientOptions {
  readonly stopIds: readonly number[];
  /** Maximum number of concurrent samples. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** Where a {@link SamplingClient} samples. */
export interface SamplingSource {
  readonly service: ServiceClient;
  /** Timeout of an operation. */
  readonly timeoutMs: number;
  /** Returns the id of a new sampling session with the current weights. */
  readonly openSession: () => Promise<string>;
}

interface SessionRequest {
  readonly session_id: string;
  readonly sampling_session_seq_id: number;
  readonly model_path: string | null | undefined;
}

export async function createSamplingSession(
  service: ServiceClient,
  request: SessionRequest,
): Promise<string> {
  const { sampling_session_id: id } = await service.request({
    route: "create_sampling_session",
    body: { type: "create_sampling_session", ...request },
    response: samplingSession,
  });
  return id;
}

/** Samples from the current weights. It opens a sampling session at the first sample after a change. */
export class SamplingClient {
  readonly #source: SamplingSource;
  readonly #options: SamplingClientOptions;
  readonly #limit: LimitFunction;
  #samples = 0;
  #session: Promise<string> | undefined;

  constructor(source: SamplingSource, options: SamplingClientOptions) {
    this.#source = source;
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** Notes that the weights have changed: the next sample opens another session. */
  invalidate(): void {
    this.#session = undefined;
  }

  async sample(requests: readonly SampleRequest[], signal?: AbortSignal): Promise<Completion[]> {
    const failed = new AbortController();
    const signals = [failed.signal, this.#options.signal];
    if (signal !== undefined) signals.push(signal);
    const combined = AbortSignal.any(signals);
    try {
      return await Promise.all(
        requests.map((request) => this.#limit(() => this.#sampleOne(request, combined))),
      );
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  }

  /** Opens the sampling session again, once, if the service has lost it. */
  async #sampleOne(request: SampleRequest, signal: AbortSignal): Promise<Completion> {
    signal.throwIfAborted();
    const session = this.#currentSession();
    try {
      return await this.#requestSample(request, await session, signal);
    } catch (error) {
      if (!(error instanceof ServiceError && error.isLost)) throw error;
      if (this.#session === session) this.#session = undefined;
      return this.#requestSample(request, await this.#currentSession(), signal);
    }
  }

  async #requestSample(
    { promptIds, maxTokens, temperature, topP, seed }: SampleRequest,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<Completion> {
    const { service, timeoutMs } = this.#source;
    const { stopIds } = this.#options;
    this.#samples += 1;
    const { request_id: requestId } = await service.request({
      route: "asample",
      body: {
        type: "sample",
        sampling_session_id: sessionId,
        seq_id: this.#samples,
        num_samples: 1,
        prompt: encodeTokens(promptIds),
        sampling_params: {
          max_tokens: maxTokens,
          temperature,
          top_p: topP,
          top_k: -1,
          // Inference engines accept seeds of 31 bits.
          seed: seed % 2 ** 31,
          stop: stopIds,
        },
        prompt_logprobs: false,
      },
      response: future,
      signal,
    });
    const { sequences } = await retrieveResult(service, {
      requestId,
      route: "asample",
      response: samples,
      decode: decodeSamples,
      timeoutMs,
      signal,
    });
    return toCompletion(sequences[0]!, { stopIds, maxTokens });
  }

  #currentSession(): Promise<string> {
    if (this.#session !== undefined) return this.#session;
    const session = this.#source.openSession().catch((error: unknown) => {
      this.invalidate();
      throw error;
    });
    this.#session = session;
    return session;
  }
}
