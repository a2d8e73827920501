import type { Completion, SampleRequest } from "@envs/tiny-model";
import pLimit, { type LimitFunction } from "p-limit";

import { toCompletion } from "./completion.ts";
import { decodeSamples } from "./protobuf/messages.ts";
import { future, samples, samplerWeights, samplingSession } from "./responses.ts";
import { retrieveResult } from "./retrieve-result.ts";
import { encodeTokens } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";
import type { TrainingClient } from "./training-client.ts";

export interface SamplingClientOptions {
  readonly stopIds: readonly number[];
  /** Maximum number of concurrent samples. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** Samples from the current weights. It publishes them to the service's sampler at the first sample after a change. */
export class SamplingClient {
  readonly #training: TrainingClient;
  readonly #options: SamplingClientOptions;
  readonly #limit: LimitFunction;
  #sessions = 0;
  #samples = 0;
  #session: Promise<string> | undefined;

  constructor(training: TrainingClient, options: SamplingClientOptions) {
    this.#training = training;
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** Marks the published weights as stale. */
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
    const { service, timeoutMs } = this.#training;
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
    const session = this.#publishWeights().catch((error: unknown) => {
      this.invalidate();
      throw error;
    });
    this.#session = session;
    return session;
  }

  /** Returns the id of a sampling session with the current weights. */
  async #publishWeights(): Promise<string> {
    const { path, sampling_session_id: publishedId } = await this.#training.perform({
      route: "save_weights_for_sampler",
      body: () => ({
        type: "save_weights_for_sampler",
        sampling_session_seq_id: (this.#sessions += 1),
      }),
      response: samplerWeights,
      isRepeatable: true,
    });
    if (publishedId) return publishedId;
    this.#sessions += 1;
    const { sampling_session_id: createdId } = await this.#training.service.request({
      route: "create_sampling_session",
      body: {
        type: "create_sampling_session",
        session_id: this.#training.sessionId,
        sampling_session_seq_id: this.#sessions,
        model_path: path,
      },
      response: samplingSession,
    });
    return createdId;
  }
}
