import * as z from "zod";

const count = z.int().min(1);

/** The matrices of a layer that an adapter can change, by their names in transformers and PEFT. */
const loraTargets = [
  "q_proj",
  "k_proj",
  "v_proj",
  "o_proj",
  "gate_proj",
  "up_proj",
  "down_proj",
] as const;

const checkpoint = z.strictObject({
  from: z.string().describe("A checkpoint: tiny:<name or file>"),
});

const size = z
  .strictObject({
    vocabulary: z.int().min(32).default(256).describe("Maximum number of tokens"),
    pieces: z
      .enum(["auto", "lines", "words", "clauses"])
      .default("auto")
      .describe(
        "Maximum extent of a token; auto: lines or words, the one with the lower loss per character of held-out replies after a short training",
      ),
    width: count.default(64),
    layers: count.default(2),
    heads: count.default(4),
    hidden: count.default(256),
    context: count.default(256).describe("Maximum length of a conversation, in tokens"),
  })
  .prefault({});

const tokenizer = z
  .string()
  .min(1)
  .optional()
  .describe(
    "Tokenizer and chat template: a folder, or a model of Hugging Face. Default: the model's",
  );

/** The schema of {@link LocalModelSettings}. */
export const localSettings = z.strictObject({
  localModel: z
    .string()
    .min(1)
    .describe(
      "A model on this machine: a folder of transformers, a GGUF file or a package; or a model of Hugging Face",
    ),
  tokenizer,
  loraRank: count.multipleOf(8).default(16).describe("Rank of the trained adapter"),
  loraAlpha: z
    .number()
    .positive()
    .default(32)
    .describe("The output of the adapter is multiplied by loraAlpha / loraRank"),
  loraTargets: z
    .array(z.enum(loraTargets))
    .min(1)
    .default([...loraTargets])
    .describe("The matrices that the adapter changes"),
  contextLength: count
    .optional()
    .describe("Maximum length of a conversation, in tokens. Default: 1024, or the model's limit"),
  from: z
    .string()
    .min(1)
    .optional()
    .describe("Adapter to start from: a folder in PEFT's format, or the folder of a training run"),
});

/** The schema of {@link ServedModelSettings}. */
export const servedSettings = z.strictObject({
  baseModel: z.string().min(1).describe("The service's name of a model: Qwen/Qwen3-8B"),
  tokenizer,
  loraRank: count.default(32).describe("Rank of the trained adapter"),
  contextLength: count
    .optional()
    .describe("Maximum length of a conversation, in tokens. Default: the service's limit"),
  from: z
    .string()
    .min(1)
    .optional()
    .describe("Weights to start from: a tinker:// path, or the folder of a training run"),
});

/**
 * The model to train: a tiny one, new or from a checkpoint; an adapter of a real one on this machine; or a large one on a
 * service.
 */
export const modelSettings = checkpoint.or(size).or(servedSettings).or(localSettings).prefault({});

export type ModelSettings = z.output<typeof modelSettings>;

/** The settings of a real model on this machine. */
export type LocalModelSettings = z.output<typeof localSettings>;

/** The settings of a large model on a service. */
export type ServedModelSettings = z.output<typeof servedSettings>;

/** Whether a plan trains a large model on a service. */
export function isServed(model: ModelSettings): model is ServedModelSettings {
  return "baseModel" in model;
}

/** Whether a plan trains an adapter of a real model on this machine. */
export function isLocal(model: ModelSettings): model is LocalModelSettings {
  return "localModel" in model;
}

/** The backends of `envs train`, which are also the prefixes of their models for `-m`. */
export const backendNames = ["tiny", "lora", "tinker"] as const;

export type BackendName = (typeof backendNames)[number];

export function backendOf(model: ModelSettings): BackendName {
  if (isServed(model)) return "tinker";
  return isLocal(model) ? "lora" : "tiny";
}

/** The name of the model under an adapter; `undefined` for a tiny model. */
export function baseModelOf(model: ModelSettings): string | undefined {
  if (isServed(model)) return model.baseModel;
  return isLocal(model) ? model.localModel : undefined;
}
