import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import type { ModelLoader } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";
import { chatModel } from "@envs/tiny-model";

import { readRecord, type TrainingRecord } from "../../node/training-folder.ts";
import { isServed } from "../../train/model-settings.ts";
import { connectService, servicePlan } from "./service.ts";

/**
 * Loads `tinker:<run>`, the model of a training run on a service, which samples from it. It occupies an adapter of the
 * service until it is closed.
 */
export const loadServed: ModelLoader = async (reference, { baseURL, apiKeyVariable }) => {
  const path = resolve(reference);
  if (!existsSync(join(path, "run.json")))
    throw new ConfigError(
      `tinker:${reference} is not the folder of a training run. Pass the folder that envs train printed, such as -m tinker:outputs/train/reverse-text/<run>.`,
    );
  const record: TrainingRecord = await readRecord(path);
  const { model, seed } = record.plan;
  if (!isServed(model))
    throw new ConfigError(
      `${reference} trained a tiny model, which plays on this machine: -m tiny:${reference}`,
    );
  const plan = { ...record.plan, model: { ...model, from: path } };
  const service = servicePlan(plan, { baseURL, apiKeyVariable }, record);
  const backend = await connectService(service!, { seed, isNew: true });
  return {
    model: Object.assign(chatModel(backend), { id: `tinker:${reference}` }),
    baseURL: service!.record.base_url,
    close: () => backend.close(),
  };
};
