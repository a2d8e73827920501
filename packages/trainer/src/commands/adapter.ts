import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { defineCommand, printResult, UsageError, argument, valueOption, flag } from "@envs/cli/kit";
import { nearPath, pathArgument } from "@envs/cli/kit/layout";
import { ConfigError } from "@envs/core";

import type { AdapterFiles } from "../backend.ts";
import { completeAdapterConfig } from "../node/adapter-config.ts";
import { readAdapterArchive } from "../node/adapter-files.ts";
import { adapterFolder, readAdapter } from "../node/adapter-folder.ts";
import { readRecord, type TrainingRecord } from "../node/training-folder.ts";
import { writeReport } from "../node/write-report.ts";
import { baseModelOf, isServed } from "../train/model-settings.ts";
import { writeAdapterPackage } from "./training/adapter-package.ts";
import { type ServiceAddress, serviceArguments } from "./training/service-arguments.ts";
import { connectService, servicePlan } from "./training/service.ts";

export const command = defineCommand({
  meta: {
    name: "train adapter",
    description:
      "Write the LoRA adapter of a training run, from its folder or its service, as a package with a model card. vLLM and SGLang load it as it is, llama.cpp after convert_lora_to_gguf.py",
  },
  args: {
    run: argument("The folder of a training run"),
    name: valueOption("Name of the package, such as @you/reverse-text-lora", "name"),
    output: valueOption(
      "Folder of the package (default: adapter, in the run's folder)",
      "folder",
      "o",
    ),
    "base-model": valueOption(
      "Name under which other servers load the base model, such as Qwen/Qwen3-4B (default: the run's)",
      "model",
    ),
    "base-url": serviceArguments["base-url"],
    "api-key-var": serviceArguments["api-key-var"],
    json: flag("Print the result as JSON"),
  },

  async run({ args }): Promise<number> {
    const { name, run } = args;
    if (run === undefined)
      throw new UsageError(
        "Missing run folder. Example: envs train adapter outputs/training/… --name @you/reverse-text-lora",
      );
    if (name === undefined)
      throw new UsageError("Missing name of the package. Example: --name @you/reverse-text-lora");
    const path = resolve(run);
    const record = await readRecord(path);
    const { model } = record.plan;
    const folder = resolve(args.output ?? join(path, "adapter"));
    if (existsSync(join(folder, "package.json")))
      throw new ConfigError(`${nearPath(folder)} already has a package. Pass another --output.`);
    if (!("loraRank" in model))
      throw new ConfigError(
        `${run} trained a tiny model, which has no adapter: its checkpoint is the model.`,
      );
    const address = { baseURL: args["base-url"], apiKeyVariable: args["api-key-var"] };
    const baseModel = args["base-model"] ?? baseModelOf(model)!;
    const files = completeAdapterConfig(await adapterOf(path, record, address), baseModel);
    const report = await writeReport(path);
    await writeAdapterPackage(folder, { name, baseModel, record, files, report });
    printResult(
      args.json === true,
      { adapter: folder, bytes: files.weights.length },
      `${nearPath(folder)} has the adapter (${(files.weights.length / 1e6).toFixed(1)} MB) and its model card.\nserve    vllm serve ${baseModel} --enable-lora --max-lora-rank ${model.loraRank} --lora-modules tuned=${pathArgument(folder)}\nuse      -m tuned --base-url http://localhost:8000/v1\npublish  envs publish ${pathArgument(folder)}`,
    );
    return 0;
  },
});

/** The adapter in the run's folder, or on its service. */
async function adapterOf(
  path: string,
  record: TrainingRecord,
  address: ServiceAddress,
): Promise<AdapterFiles> {
  const { model, seed } = record.plan;
  if (!isServed(model)) return await readAdapter(join(path, adapterFolder));
  const plan = { ...record.plan, model: { ...model, from: path } };
  const service = servicePlan(plan, address, record)!;
  const backend = await connectService(service, { seed, isNew: true });
  try {
    return await readAdapterArchive(await backend.adapterArchive!());
  } finally {
    await backend.close();
  }
}
