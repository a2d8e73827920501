import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { importPackage } from "@envs/cli/kit";
import type { ModelLoader } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";
import type * as Lora from "@envs/lora";
import { chatModel } from "@envs/tiny-model";
import * as z from "zod";

import { readAdapterConfig } from "../../node/adapter-folder.ts";
import { readRecord } from "../../node/training-folder.ts";
import { isLocal, type LocalModelSettings, localSettings } from "../../train/model-settings.ts";
import { startLocalModel } from "./local-model.ts";

/** The maximum number of conversations at once. */
const maxConcurrency = 32;

/**
 * Loads `lora:<run>`, the model of a training run; `lora:<folder>`, an adapter in PEFT's format, which names its base model;
 * `lora:<model>+<adapter>`; or `lora:<model>` without an adapter.
 */
export const loadLocal: ModelLoader = async (reference, { concurrency }) => {
  const slots = Math.min(maxConcurrency, concurrency);
  const settings = await settingsOf(reference);
  const backend = await startLocalModel(settings, { seed: 0, isNew: true, slots });
  return {
    model: Object.assign(chatModel(backend), { id: `lora:${reference}` }),
    concurrency: slots,
    close: () => backend.close(),
  };
};

async function settingsOf(reference: string): Promise<LocalModelSettings> {
  const path = resolve(reference);
  if (existsSync(join(path, "run.json"))) {
    const { model } = (await readRecord(path)).plan;
    if (isLocal(model)) return { ...model, from: path };
    throw new ConfigError(
      `${reference} trained no adapter on this machine. Name its model by tiny: or tinker: and the folder.`,
    );
  }
  if (existsSync(join(path, "adapter_config.json"))) return await peftSettings(path);
  if (existsSync(path)) return localSettings.parse({ localModel: reference });
  const [, localModel = reference, adapter] = /^(.+)\+([^+]+)$/u.exec(reference) ?? [];
  return adapter === undefined
    ? localSettings.parse({ localModel })
    : { ...(await peftSettings(resolve(adapter))), localModel };
}

const configSchema = z.looseObject({ base_model_name_or_path: z.string().nullish() });

async function peftSettings(folder: string): Promise<LocalModelSettings> {
  const config = await readAdapterConfig(folder);
  const { readPeftSettings } = await importPackage<typeof Lora>("lora", `The model ${folder}`);
  const { rank, alpha, targets } = readPeftSettings(config);
  const base = configSchema.parse(config).base_model_name_or_path;
  const size = { loraRank: rank, loraAlpha: alpha, loraTargets: targets };
  // A local path is relative to the folder in which the training ran.
  return localSettings.parse({ localModel: base ?? folder, from: folder, ...size });
}
