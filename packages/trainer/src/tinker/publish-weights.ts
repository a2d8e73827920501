import type * as z from "zod";

import { samplerWeights } from "./responses.ts";
import { createSamplingSession, type SamplingSource } from "./sampling-client.ts";
import { ServiceError } from "./service-error.ts";
import type { TrainingClient } from "./training-client.ts";

/** Samples from the present weights of a model in training: each session publishes them to the service's sampler. */
export function samplingSource(training: TrainingClient): SamplingSource {
  const { service, timeoutMs } = training;
  let sessions = 0;
  return {
    service,
    timeoutMs,
    async openSession() {
      const { path, sampling_session_id: publishedId } = await saveForSampler(training, () => ({
        sampling_session_seq_id: (sessions += 1),
      }));
      if (publishedId) return publishedId;
      return createSamplingSession(service, {
        session_id: training.sessionId,
        sampling_session_seq_id: (sessions += 1),
        model_path: path,
      });
    },
  };
}

/** Stores the present weights for the service's sampler. `body` has the number of the request. */
export function saveForSampler(
  training: TrainingClient,
  body: (number: number) => object,
): Promise<z.output<typeof samplerWeights>> {
  return training.perform({
    route: "save_weights_for_sampler",
    body: (number) => ({ type: "save_weights_for_sampler", ...body(number) }),
    response: samplerWeights,
    isRepeatable: true,
  });
}

/** Stores the present weights under a path, from which other clients of the service sample. */
export async function publishWeights(training: TrainingClient): Promise<string> {
  const { path } = await saveForSampler(training, (number) => ({ path: `policy-${number}` }));
  if (path) return path;
  throw new ServiceError(
    "The service stored the weights without a path, so workers of a queue cannot sample from them. Train without --queue.",
    { isFatal: true },
  );
}
