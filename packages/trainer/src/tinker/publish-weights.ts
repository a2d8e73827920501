import { samplerWeights, samplingSession } from "./responses.ts";
import type { SamplingSource } from "./sampling-client.ts";
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
      const { path, sampling_session_id: publishedId } = await training.perform({
        route: "save_weights_for_sampler",
        body: () => ({
          type: "save_weights_for_sampler",
          sampling_session_seq_id: (sessions += 1),
        }),
        response: samplerWeights,
        isRepeatable: true,
      });
      if (publishedId) return publishedId;
      sessions += 1;
      const { sampling_session_id: createdId } = await service.request({
        route: "create_sampling_session",
        body: {
          type: "create_sampling_session",
          session_id: training.sessionId,
          sampling_session_seq_id: sessions,
          model_path: path,
        },
        response: samplingSession,
      });
      return createdId;
    },
  };
}

/** Stores the present weights under a path, from which other clients of the service sample. */
export async function publishWeights(training: TrainingClient): Promise<string> {
  const { path } = await training.perform({
    route: "save_weights_for_sampler",
    body: (number) => ({ type: "save_weights_for_sampler", path: `policy-${number}` }),
    response: samplerWeights,
    isRepeatable: true,
  });
  if (path) return path;
  throw new ServiceError(
    "The service stored the weights without a path, so workers of a queue cannot sample from them. Train without --queue.",
    { isFatal: true },
  );
}
