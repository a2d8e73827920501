import type { Sampler } from "@envs/tiny-model";

import { createSamplingSession, SamplingClient } from "./sampling-client.ts";
import { ServiceClient } from "./service-client.ts";
import { ServiceSession } from "./service-session.ts";
import type { TinkerOptions } from "./tinker-backend.ts";

export interface TinkerSamplerOptions extends Pick<
  TinkerOptions,
  "baseURL" | "apiKey" | "renderer" | "concurrency"
> {
  /** The service's name of the model that was trained. */
  readonly baseModel: string;
  /** The path of sampler weights: `tinker://…`. */
  readonly path: string;
  /** Maximum length of a sequence in tokens. */
  readonly contextLength: number;
}

/** Samples from weights that a backend of a service has published. It occupies no adapter. */
export async function tinkerSampler({
  baseURL,
  apiKey,
  baseModel,
  path,
  renderer,
  contextLength,
  concurrency = 256,
}: TinkerSamplerOptions): Promise<Sampler & { readonly close: () => Promise<void> }> {
  const closing = new AbortController();
  const { signal } = closing;
  const service = new ServiceClient({ baseURL, apiKey, retries: 8, signal });
  const session = await ServiceSession.open(service);
  let sessions = 0;
  const openSession = (): Promise<string> =>
    createSamplingSession(service, {
      session_id: session.id,
      sampling_session_seq_id: (sessions += 1),
      model_path: path,
    });
  const source = { service, timeoutMs: 3_600_000, openSession };
  const { stopIds } = renderer;
  const client = new SamplingClient(source, { stopIds, concurrency, signal });
  return {
    id: baseModel,
    renderer,
    contextLength,
    sample: (requests, sampleSignal) => client.sample(requests, sampleSignal),
    async close() {
      session.close();
      closing.abort(new Error("The sampler was closed."));
    },
  };
}
