import { importPackage } from "@envs/cli/kit";
import type { LoadedModel } from "@envs/cli/kit/models";

/** The model of a training at one step, as workers load it. */
export type QueuedPolicy =
  | {
      /** A checkpoint of the tiny model without its optimizer, in base64. */
      readonly checkpoint: string;
      /** The version of envs: another one may compute other log-probabilities. */
      readonly version: string;
    }
  | {
      /** The path of the weights on a service. */
      readonly path: string;
      readonly baseURL: string;
      /** The variable with the service's API key on the worker's machine. Default: TINKER_API_KEY, if set on that machine. */
      readonly apiKeyVariable?: string | undefined;
      readonly baseModel: string;
      readonly tokenizer: string;
      readonly contextLength: number;
    };

/** Loads the model of a training. `concurrency` is the number of rollouts that play at once. */
export type LoadPolicy = (policy: QueuedPolicy, concurrency: number) => Promise<LoadedModel>;

/** The package of trainers loads it: only workers of a training need that package. */
export const loadPolicy: LoadPolicy = async (policy, concurrency) => {
  const trainer = await importPackage<{ readonly loadPolicy: LoadPolicy }>(
    "trainer/commands",
    "A run of a training",
  );
  return await trainer.loadPolicy(policy, concurrency);
};
