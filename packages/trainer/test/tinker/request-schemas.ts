import * as z from "zod";

// The requests of Tinker's own client, which omits fields with defaults. Unknown fields are errors.

const tensor = z.strictObject({
  data: z.array(z.number()),
  dtype: z.enum(["int64", "float32"]),
  shape: z.array(z.int()).nullish(),
});

const text = z.strictObject({
  chunks: z.array(
    z.strictObject({ type: z.literal("encoded_text").optional(), tokens: z.array(z.int()) }),
  ),
});

const forwardInput = z.strictObject({
  data: z
    .array(z.strictObject({ model_input: text, loss_fn_inputs: z.record(z.string(), tensor) }))
    .min(1),
  loss_fn: z.enum(["cross_entropy", "importance_sampling", "ppo", "cispo", "gspo"]),
  loss_fn_config: z
    .strictObject({ clip_low_threshold: z.number(), clip_high_threshold: z.number() })
    .nullish(),
});

const modelFields = { model_id: z.string(), seq_id: z.int().min(1) };
const name = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/u)
  .max(255);

export const requestSchemas = {
  create_session: z.strictObject({
    type: z.literal("create_session").optional(),
    tags: z.array(z.string()),
    user_metadata: z.record(z.string(), z.unknown()).nullable(),
    sdk_version: z.string(),
  }),
  session_heartbeat: z.strictObject({
    type: z.literal("session_heartbeat").optional(),
    session_id: z.string(),
  }),
  create_model: z.strictObject({
    type: z.literal("create_model").optional(),
    session_id: z.string(),
    model_seq_id: z.int(),
    base_model: z.string(),
    lora_config: z.looseObject({ rank: z.int().min(0), seed: z.int().nullish() }).nullish(),
    user_metadata: z.unknown().optional(),
  }),
  unload_model: z.strictObject({
    type: z.literal("unload_model").optional(),
    model_id: z.string(),
  }),
  forward: z.strictObject({ ...modelFields, forward_input: forwardInput }),
  forward_backward: z.strictObject({
    ...modelFields,
    forward_backward_input: forwardInput,
    /** A request that exists in protobuf only. */
    forward_only: z.boolean().optional(),
  }),
  optim_step: z.strictObject({
    ...modelFields,
    type: z.literal("optim_step").optional(),
    adam_params: z.strictObject({
      learning_rate: z.number().min(0).default(1e-4),
      beta1: z.number().min(0).lt(1).default(0.9),
      beta2: z.number().min(0).lt(1).default(0.95),
      eps: z.number().positive().default(1e-12),
      weight_decay: z.number().min(0).default(0),
      grad_clip_norm: z.number().min(0).default(0),
    }),
  }),
  save_weights: z.looseObject({
    ...modelFields,
    type: z.literal("save_weights").optional(),
    path: name,
  }),
  load_weights: z.looseObject({
    ...modelFields,
    type: z.literal("load_weights").optional(),
    path: z.string().regex(/^tinker:\/\/[^/]+\/weights\/[^/]+$/u),
    optimizer: z.boolean(),
  }),
  save_weights_for_sampler: z.looseObject({
    ...modelFields,
    type: z.literal("save_weights_for_sampler").optional(),
    path: name.nullish(),
    sampling_session_seq_id: z.int().nullish(),
  }),
  create_sampling_session: z.strictObject({
    type: z.literal("create_sampling_session").optional(),
    session_id: z.string(),
    sampling_session_seq_id: z.int(),
    model_path: z.string().nullish(),
    base_model: z.string().nullish(),
  }),
  asample: z.looseObject({
    type: z.literal("sample").optional(),
    sampling_session_id: z.string(),
    seq_id: z.int(),
    num_samples: z.literal(1).default(1),
    prompt: text,
    sampling_params: z.strictObject({
      max_tokens: z.int().min(1),
      seed: z
        .int()
        .min(0)
        .lt(2 ** 31),
      stop: z.array(z.int()),
      temperature: z.number().min(0).default(1),
      top_k: z.literal(-1).default(-1),
      top_p: z.number().default(1),
    }),
    prompt_logprobs: z.boolean().nullish(),
  }),
  retrieve_future: z.strictObject({
    request_id: z.string(),
    allow_metadata_only: z.boolean().optional(),
  }),
};

export type Route = keyof typeof requestSchemas;
export type Request<Name extends Route> = z.output<(typeof requestSchemas)[Name]>;
export type ForwardInput = z.output<typeof forwardInput>;
