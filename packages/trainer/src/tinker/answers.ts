import * as z from "zod";

import { ServiceError } from "./service-error.ts";

/** Reads what the service answered to `route`. */
export function readAnswer<Result>(
  schema: z.ZodType<Result>,
  body: unknown,
  route: string,
): Result {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    `The service answered ${route} with something unexpected:\n${z.prettifyError(parsed.error)}`,
  );
}

/** The service counts what it is asked to do; results are fetched by number. */
export const ticket = z.object({ request_id: z.string(), model_id: z.string().nullish() });

/** What all results may be instead: not there yet, or a failure. */
export const outcome = z.looseObject({
  type: z.string().nullish(),
  error: z.string().nullish(),
});

export const capabilities = z.object({
  supported_models: z.array(
    z.object({ model_name: z.string().nullish(), max_context_length: z.int().nullish() }),
  ),
  /** SkyRL tells, Tinker does not. */
  supported_loss_fns: z.array(z.string()).nullish(),
});

export const session = z.object({
  session_id: z.string(),
  error_message: z.string().nullish(),
});

export const model = z.object({ model_id: z.string() });

export const samplingSession = z.object({ sampling_session_id: z.string() });

/** Python writes numbers that are not finite as null. */
const numbers = z.array(
  z
    .number()
    .nullable()
    .transform((value) => value ?? Number.NaN),
);

export const passed = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: numbers }) })),
});

export const stepped = z.object({
  metrics: z.record(z.string(), z.number().nullable()).nullish(),
});

export const saved = z.object({ path: z.string() });

export const published = z.object({
  path: z.string().nullish(),
  sampling_session_id: z.string().nullish(),
});

export const sampled = z.object({
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

export const anything = z.unknown();
