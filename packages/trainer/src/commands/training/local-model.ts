import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { importPackage } from "@envs/cli/kit";
import { ConfigError } from "@envs/core";
import type * as Lora from "@envs/lora";
import type * as LoraFiles from "@envs/lora/node";
import type { Renderer } from "@envs/tiny-model";

import type { Backend } from "../../backend.ts";
import { readInputFile } from "../../files.ts";
import { loraBackend } from "../../lora-backend.ts";
import { readAdapterConfig } from "../../node/adapter-folder.ts";
import { loadRenderer } from "../../node/load-renderer.ts";
import { readState } from "../../node/training-folder.ts";
import { templateRenderer } from "../../renderer/template-renderer.ts";
import type { LocalModelSettings } from "../../train/model-settings.ts";
import { findModel, type ModelSource } from "./model-source.ts";

interface StartOptions {
  readonly seed: number;
  /** Whether the model starts from the plan's adapter; a resumed run starts from its checkpoint. */
  readonly isNew: boolean;
  /** Maximum number of conversations that are sampled at once. */
  readonly slots?: number | undefined;
}

/** Loads a real model on this machine, and an adapter that is trained. */
export async function startLocalModel(
  settings: LocalModelSettings,
  { seed, isNew, slots }: StartOptions,
): Promise<Backend> {
  const { localModel, contextLength, from } = settings;
  const user = `The model ${localModel}`;
  const { LoraModel, readPeftSettings } = await importPackage<typeof Lora>("lora", user);
  const files = await importPackage<typeof LoraFiles>("lora/node", user);
  const source = await findModel(localModel);
  const renderer = await rendererOf(source, settings, files);
  const adapter = {
    rank: settings.loraRank,
    alpha: settings.loraAlpha,
    targets: settings.loraTargets,
  };
  const model = LoraModel.load(
    source.kind === "gguf"
      ? await files.readGguf(source.path)
      : await files.readModelFolder(source.path),
    { adapter, seed, slots, contextLength, stopIds: renderer.stopIds },
  );
  if (from !== undefined && isNew) await loadAdapter(model, from, readPeftSettings);
  return loraBackend(model, { id: localModel, renderer });
}

async function rendererOf(
  source: ModelSource,
  { localModel, tokenizer }: LocalModelSettings,
  { readGgufTokenizer }: typeof LoraFiles,
): Promise<Renderer> {
  if (tokenizer !== undefined) return await loadRenderer(tokenizer);
  if (source.kind === "gguf") return templateRenderer(await readGgufTokenizer(source.path));
  return await loadRenderer(
    existsSync(join(source.path, "tokenizer.json")) ? source.path : localModel,
  );
}

/** Loads the adapter of a training run, or of a folder in PEFT's format. */
async function loadAdapter(
  model: Lora.LoraModel,
  from: string,
  readPeftSettings: typeof Lora.readPeftSettings,
): Promise<void> {
  const path = resolve(from);
  const state = await readState(path);
  if (state !== undefined) {
    const file = join(path, state.checkpoint);
    model.loadState(await readInputFile(file), file, { resetsOptimizer: true });
    return;
  }
  const { rank, alpha, targets } = readPeftSettings(await readAdapterConfig(path));
  const { settings } = model.adapter;
  const isSame =
    rank === settings.rank &&
    alpha === settings.alpha &&
    targets.toSorted().join() === settings.targets.toSorted().join();
  if (!isSame)
    throw new ConfigError(
      `The adapter in ${from} has another size than the one to train. Pass --lora-rank ${rank} --lora-alpha ${alpha} --lora-targets ${targets.join(",")}.`,
    );
  model.loadPeft(await readInputFile(join(path, "adapter_model.safetensors")));
}
