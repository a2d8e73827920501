import * as z from "zod";

const count = z.int().min(1);

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

const served = z.strictObject({
  baseModel: z.string().min(1).describe("The service's name of a model: Qwen/Qwen3-8B"),
  tokenizer: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Tokenizer and chat template: a folder, or a model of Hugging Face. Default: baseModel",
    ),
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

/** The model to train: a tiny one in this process, new or from a checkpoint, or a large one on a service. */
export const modelSettings = checkpoint.or(size).or(served).prefault({});

/** The settings of a large model on a service. */
export type ServedModelSettings = z.output<typeof served>;

/** Whether a plan trains a large model on a service. */
export function isServed(model: z.output<typeof modelSettings>): model is ServedModelSettings {
  return "baseModel" in model;
}
