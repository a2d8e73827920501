import type { Renderer } from "@envs/tiny-model";

import type { Backend } from "../backend.ts";
import { Client } from "./client.ts";
import { offerOf } from "./offer.ts";
import { Run } from "./run.ts";
import { Sampler } from "./sampler.ts";
import { TinkerModel } from "./tinker-model.ts";

/** Which model is trained where. */
export interface TinkerOptions {
  /** Where the service is: what stands before `/api/v1`. */
  readonly baseURL: string;
  readonly apiKey?: string;
  /** The model that is trained, by the service's name for it: `Qwen/Qwen3-8B`. */
  readonly baseModel: string;
  /** The model's tokenizer and chat template. */
  readonly renderer: Renderer;
  /** The size of the adapter that is trained. Default 32. */
  readonly loraRank?: number;
  /** What the adapter's first weights are drawn from. Default 0. */
  readonly seed?: number;
  /** The longest sequence, in tokens. Default: what the service says. */
  readonly contextLength?: number;
  /** How many samples may be under way at once. Default 256. */
  readonly concurrency?: number;
  /** How often a request is repeated when the service is busy or out of reach. Default 8: some two minutes. */
  readonly retries?: number;
  /** How long one operation may take, its time in the service's queue included, in milliseconds. Default: an hour. */
  readonly timeout?: number;
  /** Ends everything that is under way. */
  readonly signal?: AbortSignal;
}

/**
 * A large model on a service that speaks Tinker's REST API, such as Tinker itself or SkyRL. The same `train()` that
 * trains the tiny model trains it.
 */
export async function tinkerBackend(options: TinkerOptions): Promise<Backend> {
  const { baseURL, apiKey, baseModel, loraRank = 32, seed = 0 } = options;
  const { retries = 8, timeout = 3_600_000, concurrency = 256 } = options;
  const over = new AbortController();
  const signals = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([over.signal, ...signals]);
  const client = new Client({ baseURL, apiKey, retries, signal });
  const { contextLength, losses } = await offerOf(client, options);
  const run = await Run.start(client, { baseModel, loraRank, seed, timeout, over, signal });
  const { stopIds } = options.renderer;
  const sampler = new Sampler(run, { stopIds, concurrency, signal });
  return new TinkerModel({ ...options, contextLength, losses, run, sampler });
}
