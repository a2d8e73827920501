import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { ConfigError } from "@envs/core";
import type { TrainingRecord } from "@envs/trainer/node";

import type { ServiceAddress } from "../training/service-arguments.ts";
import type { LoadedModel } from "./loaded-model.ts";

/**
 * Loads `tinker:<run>`, the model of a training run on a service, which samples from it. It occupies an adapter of the
 * service until it is closed.
 */
export async function loadServed(
  reference: string,
  { baseURL, apiKeyVariable }: ServiceAddress,
): Promise<LoadedModel> {
  // Imported only when needed: most commands do not train.
  const [{ chatModel }, { isServed, readRecord }, { connectService, servicePlan }] =
    await Promise.all([
      import("@envs/tiny-model"),
      import("@envs/trainer/node"),
      import("../training/service.ts"),
    ]);
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
}
