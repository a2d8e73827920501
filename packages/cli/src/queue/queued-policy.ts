import { ConfigError } from "@envs/core";

import type { LoadedModel } from "../models/loaded-model.ts";
import { version } from "../version.ts";

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
      /** The variable with the service's API key on the worker's machine. Default: TINKER_API_KEY, if it is set there. */
      readonly apiKeyVariable?: string | undefined;
      readonly baseModel: string;
      readonly tokenizer: string;
      readonly contextLength: number;
    };

/** Loads the model of a training. `concurrency` is the number of rollouts that play at once. */
export async function loadPolicy(policy: QueuedPolicy, concurrency: number): Promise<LoadedModel> {
  const { chatModel, readCheckpoint, TinyModel } = await import("@envs/tiny-model");
  if ("path" in policy) {
    const sampler = await connectSampler(policy);
    return { model: chatModel(sampler), close: () => sampler.close() };
  }
  if (policy.version !== version)
    throw new ConfigError(
      `envs ${policy.version} trains this model, but this machine has envs ${version}, which may compute other log-probabilities. Install the same version on every machine.`,
    );
  const checkpoint = readCheckpoint(Buffer.from(policy.checkpoint, "base64"), "The run's model");
  // Twice as many conversations as can run: one that waits for its environment stays cached.
  const tiny = await TinyModel.start("tiny", checkpoint, { slots: 2 * concurrency });
  return { model: chatModel(tiny), close: () => tiny.close() };
}

/** Tokenizers take seconds to load, and each step of a training is a run. */
const renderers = new Map<string, ReturnType<typeof loadRenderer>>();

async function loadRenderer(tokenizer: string) {
  const trainer = await import("@envs/trainer/node");
  return trainer.loadRenderer(tokenizer);
}

async function connectSampler(policy: Extract<QueuedPolicy, { path: string }>) {
  const [{ tinkerSampler }, { serviceKey }] = await Promise.all([
    import("@envs/trainer"),
    import("../training/service.ts"),
  ]);
  const { tokenizer, apiKeyVariable } = policy;
  const renderer = renderers.get(tokenizer) ?? loadRenderer(tokenizer);
  renderers.set(tokenizer, renderer);
  renderer.catch(() => renderers.delete(tokenizer));
  const apiKey = serviceKey({ apiKeyVariable });
  return await tinkerSampler({ ...policy, apiKey, renderer: await renderer });
}
