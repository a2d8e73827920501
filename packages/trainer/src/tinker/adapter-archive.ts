import { saveForSampler } from "./publish-weights.ts";
import { ServiceError } from "./service-error.ts";
import type { TrainingClient } from "./training-client.ts";

/** Stores the present adapter on the service under a new name, and downloads it as a tar archive. */
export async function downloadAdapter(training: TrainingClient): Promise<Uint8Array> {
  const { path } = await saveForSampler(training, (number) => ({ path: `adapter-${number}` }));
  // SkyRL 0.4.0 omits the kind of the checkpoint.
  const [, model, name] =
    /^tinker:\/\/([^/]+)\/(?:sampler_weights\/)?([^/]+)$/u.exec(path ?? "") ?? [];
  if (model === undefined || name === undefined)
    throw new ServiceError(
      `The service stored the adapter under ${JSON.stringify(path)}, which is not a path of sampler weights. Download it with the service's own tools.`,
      { isFatal: true },
    );
  const checkpoints = `training_runs/${model}/checkpoints`;
  // Tinker names the kind of a checkpoint, SkyRL does not.
  return training.service
    .download(`${checkpoints}/sampler_weights/${name}/archive`)
    .catch((error: unknown) => {
      // SkyRL has the path, but for another HTTP method.
      const isMissing = error instanceof ServiceError && [404, 405].includes(error.status ?? 0);
      if (!isMissing) throw error;
      return training.service.download(`${checkpoints}/${name}/archive`);
    });
}
