import * as z from "zod";

import { ServiceError } from "./service-error.ts";

/** Parses the service's response to `route`. */
export function parseResponse<Result>(
  schema: z.ZodType<Result>,
  body: unknown,
  route: string,
): Result {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    `Unexpected response of the service to ${route}:\n${z.prettifyError(parsed.error)}`,
  );
}

/** The immediate response to an operation. Its result is retrieved later, by `request_id`. */
export const future = z.object({ request_id: z.string(), model_id: z.string().nullish() });

/** The fields that any result may have: `type` is `try_again` if it is pending; `error` is set if the operation failed. */
export const resultStatus = z.looseObject({
  type: z.string().nullish(),
  error: z.string().nullish(),
});

export const capabilities = z.object({
  supported_models: z.array(
    z.object({ model_name: z.string().nullish(), max_context_length: z.int().nullish() }),
  ),
  /** SkyRL returns this field, Tinker does not. */
  supported_loss_fns: z.array(z.string()).nullish(),
});

export const session = z.object({
  session_id: z.string(),
  error_message: z.string().nullish(),
});

export const model = z.object({ model_id: z.string() });

export const samplingSession = z.object({ sampling_session_id: z.string() });

/** Services written in Python encode NaN and infinite numbers as null. */
const numbers = z.array(
  z
    .number()
    .nullable()
    .transform((value) => value ?? Number.NaN),
);

export const forwardOutput = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: numbers }) })),
});

export type ForwardOutput = z.output<typeof forwardOutput>;

export const optimizerOutput = z.object({
  metrics: z.record(z.string(), z.number().nullable()).nullish(),
});

export const savedWeights = z.object({ path: z.string() });

export const samplerWeights = z.object({
  path: z.string().nullish(),
  sampling_session_id: z.string().nullish(),
});

export const samples = z.object({
  sequences: z
    .array(
      z.object({
        tokens: z.array(z.int()),
        logprobs: z.array(z.number().nullable()).nullish(),
        stop_reason: z.enum(["stop", "length"]),
      }),
    )
    .length(1),
});

export const anyResult = z.unknown();
