import { ConfigError } from "@envs/core";
import * as z from "zod";

/** The size of a language model of the Llama family. */
export interface Architecture {
  readonly vocabulary: number;
  /** Width of the residual stream. */
  readonly width: number;
  readonly layers: number;
  /** Heads of queries. */
  readonly heads: number;
  /** Heads of keys and values; each serves `heads / pairs` heads of queries. */
  readonly pairs: number;
  /** Width of a head. */
  readonly size: number;
  /** Width of the hidden layer of each MLP. */
  readonly hidden: number;
  /** Maximum length of a sequence, in tokens. */
  readonly context: number;
  /** Added to mean squares before their root is taken. */
  readonly epsilon: number;
  /** The base of the rotary position embedding's angles. */
  readonly rotaryBase: number;
  /** Whether the embedding is also the head. */
  readonly isTied: boolean;
  /** Whether queries, keys and values have a bias, as Qwen2's do. */
  readonly hasBias: boolean;
}

const size = z.int().min(1);

const configSchema = z.looseObject({
  model_type: z.enum(["llama", "qwen2"]),
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.optional(),
  head_dim: size.nullish(),
  intermediate_size: size,
  max_position_embeddings: size,
  rms_norm_eps: z.number().positive(),
  rope_theta: z.number().positive().optional(),
  rope_parameters: z
    .looseObject({ rope_theta: z.number().positive(), rope_type: z.literal("default").optional() })
    .optional(),
  rope_scaling: z.null("models with scaled rotary positions are not supported").optional(),
  hidden_act: z.literal("silu").default("silu"),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.literal(false).optional(),
  mlp_bias: z.literal(false).optional(),
  use_sliding_window: z.literal(false).optional(),
});

/** Reads the `config.json` of transformers. Throws a `ConfigError` for an architecture that is not supported. */
export function readArchitecture(config: unknown): Architecture {
  const { data, error } = configSchema.safeParse(config);
  if (data === undefined)
    throw new ConfigError(
      "This config.json does not describe a model that can be trained here. Supported: Llama and Qwen2, without scaled rotary positions.",
      error.issues.map(({ path, message }) => ({ path: path.map(String), message })),
    );
  const heads = data.num_attention_heads;
  const architecture = {
    vocabulary: data.vocab_size,
    width: data.hidden_size,
    layers: data.num_hidden_layers,
    heads,
    pairs: data.num_key_value_heads ?? heads,
    size: data.head_dim ?? data.hidden_size / heads,
    hidden: data.intermediate_size,
    context: data.max_position_embeddings,
    epsilon: data.rms_norm_eps,
    rotaryBase: data.rope_parameters?.rope_theta ?? data.rope_theta ?? 10_000,
    isTied: data.tie_word_embeddings,
    hasBias: data.model_type === "qwen2",
  };
  const { width, hidden } = architecture;
  // The kernels process eight numbers at a time.
  if ([width, hidden, architecture.size].some((count) => count % 8 !== 0))
    throw new ConfigError(
      `The widths of the model (${width}), its heads (${architecture.size}) and its MLPs (${hidden}) must be multiples of 8.`,
    );
  if (heads % architecture.pairs !== 0)
    throw new ConfigError(
      `${heads} heads of queries cannot share ${architecture.pairs} heads of keys and values evenly.`,
    );
  return architecture;
}

/** The matrices of a layer that an adapter can change, by their names in transformers. */
export const projections = [
  "q_proj",
  "k_proj",
  "v_proj",
  "o_proj",
  "gate_proj",
  "up_proj",
  "down_proj",
] as const;

export type Projection = (typeof projections)[number];

/** The number of inputs and outputs of a projection. */
export function sizeOf(
  { width, heads, pairs, size: head, hidden }: Architecture,
  projection: Projection,
): { readonly inputs: number; readonly outputs: number } {
  switch (projection) {
    case "q_proj":
      return { inputs: width, outputs: heads * head };
    case "k_proj":
    case "v_proj":
      return { inputs: width, outputs: pairs * head };
    case "o_proj":
      return { inputs: heads * head, outputs: width };
    case "gate_proj":
    case "up_proj":
      return { inputs: width, outputs: hidden };
    case "down_proj":
      return { inputs: hidden, outputs: width };
  }
}
