import { UsageError } from "@envs/cli/kit";

import { isServed } from "../../train/model-settings.ts";
import type { TrainingPlan } from "../../train/plan.ts";
import type { ServiceOverrides } from "./service-arguments.ts";

/** The options of the command line for the model. */
export interface ModelOverrides extends ServiceOverrides {
  readonly threads?: number | undefined;
  /** The weights to start from. */
  readonly from?: string | undefined;
}

const flags = {
  baseModel: "base-model",
  tokenizer: "tokenizer",
  loraRank: "lora-rank",
  contextLength: "context-length",
} as const;

/** The model of a plan with the options of the command line. Throws a `UsageError` for options of the other backend. */
export function overrideModel(
  model: TrainingPlan["model"],
  overrides: ModelOverrides,
): TrainingPlan["model"] {
  const { from, threads } = overrides;
  const { backend = isServed(model) || overrides.baseModel !== undefined ? "tinker" : "tiny" } =
    overrides;
  if (backend === "tinker") {
    const { baseModel = isServed(model) ? model.baseModel : undefined } = overrides;
    if (baseModel === undefined)
      throw new UsageError(
        "Missing base model: the recipe trains a tiny model. Pass the service's name of a model, for example --base-model Qwen/Qwen3-4B-Instruct-2507. envs train --doctor lists the models of a service.",
      );
    if (threads !== undefined)
      throw new UsageError("--threads is for the tiny model. Remove it: the service computes.");
    const { tokenizer, loraRank, contextLength } = overrides;
    return {
      ...settingsFor(model, baseModel),
      baseModel,
      ...(tokenizer === undefined ? {} : { tokenizer }),
      ...(loraRank === undefined ? {} : { loraRank }),
      ...(contextLength === undefined ? {} : { contextLength }),
      ...(from === undefined ? {} : { from }),
    };
  }
  const flag = Object.entries(flags).find(
    ([name]) => overrides[name as keyof typeof flags] !== undefined,
  )?.[1];
  if (flag !== undefined)
    throw new UsageError(`--${flag} is for a large model on a service. Add --backend tinker.`);
  if (from !== undefined) return { from };
  if (!isServed(model)) return model;
  throw new UsageError(
    `The recipe trains ${model.baseModel} on a service. Remove --backend tiny, or pass the tiny model to train, such as --from tiny:base.`,
  );
}

/** Keeps the tokenizer and weights of a recipe only if its base model is trained: another base model has different ones. */
function settingsFor(model: TrainingPlan["model"], baseModel: string) {
  if (!isServed(model)) return { loraRank: 32 };
  const { tokenizer: _, from: _from, ...others } = model;
  return model.baseModel === baseModel ? model : others;
}
