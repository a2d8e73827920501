import { version } from "@envs/cli/kit";
import { ConfigError } from "@envs/core";
import type { LoadPolicy, QueuedPolicy } from "@envs/queue/plans";
import { chatModel, readCheckpoint, TinyModel } from "@envs/tiny-model";

import { loadRenderer } from "../../node/load-renderer.ts";
import { tinkerSampler } from "../../tinker/tinker-sampler.ts";
import { serviceKey } from "./service.ts";

/** Loads the model of a training. `concurrency` is the number of rollouts that play at once. */
export const loadPolicy: LoadPolicy = async (policy, concurrency) => {
  if ("path" in policy) {
    const sampler = await connectSampler(policy);
    return { model: chatModel(sampler), close: () => sampler.close() };
  }
  if (policy.version !== version)
    throw new ConfigError(
      `envs ${policy.version} trains this model, but this machine has envs ${version}, which may compute other log-probabilities. Install the same version on every machine.`,
    );
  const checkpoint = readCheckpoint(Buffer.from(policy.checkpoint, "base64"), "The run's model");
  // Caches twice as many conversations as can run, so that one that waits for its environment stays cached.
  const tiny = await TinyModel.start("tiny", checkpoint, { slots: 2 * concurrency });
  return { model: chatModel(tiny), close: () => tiny.close() };
};

/** A cache: tokenizers take seconds to load, and each step of a training is a run. */
const renderers = new Map<string, ReturnType<typeof loadRenderer>>();

async function connectSampler(policy: Extract<QueuedPolicy, { path: string }>) {
  const { tokenizer, apiKeyVariable } = policy;
  const renderer = renderers.get(tokenizer) ?? loadRenderer(tokenizer);
  renderers.set(tokenizer, renderer);
  renderer.catch(() => renderers.delete(tokenizer));
  const apiKey = serviceKey({ apiKeyVariable });
  return await tinkerSampler({ ...policy, apiKey, renderer: await renderer });
}
