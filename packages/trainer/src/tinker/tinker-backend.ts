import type { Renderer } from "@envs/tiny-model";

import type { Backend } from "../backend.ts";
import { fetchCapabilities } from "./model-capabilities.ts";
import { samplingSource } from "./publish-weights.ts";
import { SamplingClient } from "./sampling-client.ts";
import { ServiceClient } from "./service-client.ts";
import { TinkerModel } from "./tinker-model.ts";
import { TrainingClient } from "./training-client.ts";

export interface TinkerOptions {
  /** The service's address, up to `/api/v1`. */
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  /** The service's name of the model to train: `Qwen/Qwen3-8B`. */
  readonly baseModel: string;
  /** The model's tokenizer and chat template. */
  readonly renderer: Renderer;
  /** The rank of the LoRA adapter. Default 32. */
  readonly loraRank?: number | undefined;
  /** Determines the initial weights of the adapter. Default 0. */
  readonly seed?: number | undefined;
  /** Maximum length of a sequence in tokens. Default: the maximum that the service reports. */
  readonly contextLength?: number | undefined;
  /** Maximum number of concurrent samples. Default 256. */
  readonly concurrency?: number | undefined;
  /** Maximum number of retries of a request when the service is busy or unreachable. Default 8, about two minutes. */
  readonly retries?: number | undefined;
  /** Timeout of an operation in milliseconds, including its time in the service's queue. Default: an hour. */
  readonly timeout?: number | undefined;
  /**
   * Maximum wait in milliseconds for an adapter that another client uses. A server keeps the adapter of a killed client
   * until its session expires, by default after 300 s. Default: seven minutes.
   */
  readonly adapterTimeout?: number | undefined;
  /** Receives the reason for which the backend waits. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Aborts all requests. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to a service with Tinker's REST API, such as Tinker itself or SkyRL, and returns a large model as a backend. The
 * same `train()` trains it and the tiny model.
 */
export async function tinkerBackend(options: TinkerOptions): Promise<Backend> {
  const { baseURL, apiKey, baseModel, loraRank = 32, seed = 0 } = options;
  const { retries = 8, timeout: timeoutMs = 3_600_000, concurrency = 256 } = options;
  const { adapterTimeout: adapterTimeoutMs = 420_000, onWait } = options;
  const closing = new AbortController();
  const signals = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([closing.signal, ...signals]);
  const service = new ServiceClient({ baseURL, apiKey, retries, signal });
  const { contextLength, losses } = await fetchCapabilities(service, options);
  const model = { baseModel, loraRank, seed, timeoutMs, adapterTimeoutMs, onWait };
  const training = await TrainingClient.open(service, { ...model, closing, signal });
  const { stopIds } = options.renderer;
  const sampling = new SamplingClient(samplingSource(training), { stopIds, concurrency, signal });
  return new TinkerModel({ ...options, contextLength, losses, training, sampling });
}
