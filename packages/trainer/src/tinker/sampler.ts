import type { Completion, SampleRequest } from "@envs/tiny-model";
import pLimit, { type LimitFunction } from "p-limit";

import { published, sampled, samplingSession, ticket } from "./answers.ts";
import { readCompletion } from "./completion.ts";
import { retrieve } from "./retrieve.ts";
import type { Run } from "./run.ts";
import { serviceText } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";

export interface SamplerOptions {
  readonly stopIds: readonly number[];
  /** How many samples may be under way at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** Samples from the newest weights; they are handed to the service's sampler only when somebody samples. */
export class Sampler {
  readonly #run: Run;
  readonly #options: SamplerOptions;
  readonly #limit: LimitFunction;
  #sessions = 0;
  #samples = 0;
  #session: Promise<string> | undefined;

  constructor(run: Run, options: SamplerOptions) {
    this.#run = run;
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** The weights have changed. */
  forget(): void {
    this.#session = undefined;
  }

  async sample(requests: readonly SampleRequest[], signal?: AbortSignal): Promise<Completion[]> {
    const failed = new AbortController();
    const signals = [
      failed.signal,
      this.#options.signal,
      ...(signal === undefined ? [] : [signal]),
    ];
    const any = AbortSignal.any(signals);
    try {
      return await Promise.all(
        requests.map((request) => this.#limit(() => this.#one(request, any))),
      );
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  }

  /** A sampler that the service has lost is set up again, once. */
  async #one(request: SampleRequest, signal: AbortSignal): Promise<Completion> {
    signal.throwIfAborted();
    const used = this.#published();
    try {
      return await this.#ask(request, await used, signal);
    } catch (error) {
      if (!(error instanceof ServiceError && error.isLost)) throw error;
      if (this.#session === used) this.#session = undefined;
      return this.#ask(request, await this.#published(), signal);
    }
  }

  async #ask(request: SampleRequest, session: string, signal: AbortSignal): Promise<Completion> {
    const { promptIds, maxTokens, temperature, topP, seed } = request;
    const { client, timeout } = this.#run;
    const { stopIds } = this.#options;
    this.#samples += 1;
    const { request_id: requestId } = await client.ask({
      route: "asample",
      body: {
        type: "sample",
        sampling_session_id: session,
        seq_id: this.#samples,
        num_samples: 1,
        prompt: serviceText(promptIds),
        sampling_params: {
          max_tokens: maxTokens,
          temperature,
          top_p: topP,
          top_k: -1,
          // Engines take seeds of 31 bits.
          seed: seed % 2 ** 31,
          stop: stopIds,
        },
        prompt_logprobs: false,
      },
      answer: ticket,
      signal,
    });
    const owed = { requestId, route: "asample", answer: sampled, timeout, signal };
    const { sequences } = await retrieve(client, owed);
    return readCompletion(sequences[0]!, { stopIds, maxTokens });
  }

  #published(): Promise<string> {
    if (this.#session !== undefined) return this.#session;
    const session = this.#publish().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    this.#session = session;
    return session;
  }

  async #publish(): Promise<string> {
    const { path, sampling_session_id: id } = await this.#run.perform({
      route: "save_weights_for_sampler",
      body: (number) => ({ type: "save_weights_for_sampler", sampling_session_seq_id: number }),
      answer: published,
      isRepeatable: true,
    });
    if (id) return id;
    this.#sessions += 1;
    const opened = await this.#run.client.ask({
      route: "create_sampling_session",
      body: {
        type: "create_sampling_session",
        session_id: this.#run.sessionId,
        sampling_session_seq_id: this.#sessions,
        model_path: path,
      },
      answer: samplingSession,
    });
    return opened.sampling_session_id;
  }
}
