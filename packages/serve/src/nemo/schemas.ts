import * as z from "zod";

import { exampleFields } from "../sessions/reset-query.ts";

/**
 * An array of objects that reports only that it is invalid. Zod's array collects an issue for each entry, and millions
 * of issues exhaust the memory.
 */
function objectArray<Entry extends z.ZodObject>(entry: Entry) {
  return z
    .array(z.unknown() as unknown as z.ZodType<z.output<Entry>>)
    .refine((entries) => entries.every((value) => entry.safeParse(value).success), {
      error: "Every entry must be an object.",
    })
    .meta({ items: { ...z.toJSONSchema(entry), $schema: undefined } });
}

/** Selects the example of a row. */
const verifierMetadata = z.looseObject({
  split: z.string().optional(),
  index: z.int().min(0).describe("The example's index in its split"),
  id: z.string().optional().describe("The example's key, to check that the index is still right"),
  seed: z.int().optional().describe("Seed of the episode. Default: the server's"),
  seat: exampleFields.seat.unwrap().unwrap().optional().describe(exampleFields.seat.description!),
});

/** A dataset row, as agents send it. Keeps unknown fields. */
export const row = z.looseObject({
  responses_create_params: z
    .looseObject({ input: z.union([z.string(), z.array(z.unknown())]).optional() })
    .optional(),
  verifier_metadata: verifierMetadata,
});

export type Row = z.infer<typeof row>;

const name = z.string().min(1);

/** Body of `/seed_session`: a row, or a row in `task_data` with the name that an environment server chose. */
export const seedBody = z
  .looseObject({
    ...row.partial().shape,
    resources_session_id: name.optional().describe("A name that can close the session"),
    task_data: row.optional().describe("The row of a named session"),
  })
  .transform((body, context): { readonly name: string | undefined; readonly row: Row } => {
    const { resources_session_id: sessionName, task_data: data, verifier_metadata } = body;
    const isNamed = sessionName !== undefined;
    const ownRow = isNamed ? data : verifier_metadata && { ...body, verifier_metadata };
    if (ownRow !== undefined) return { name: sessionName, row: ownRow };
    const path = [isNamed ? "task_data" : "verifier_metadata"];
    context.issues.push({ code: "custom", message: "This field is required.", path, input: body });
    return z.NEVER;
  });

/** Body of `/close_session`. Without a name, the cookie selects the session. */
export const closeBody = z.looseObject({ resources_session_id: name.optional() }).nullish();

/** Response of `/seed_session` and `/close_session`. */
export const sessionName = z.object({ resources_session_id: name.optional() });

const outputItem = z.looseObject({ type: z.string().optional() });

/** An OpenAI Responses object with the model's output. */
const response = z.looseObject({
  output: objectArray(outputItem),
  incomplete_details: z
    .looseObject({ reason: z.string().nullish() })
    .nullish()
    .describe("Why the output is incomplete"),
});

/** An item of a Responses object: a message, a tool call, a tool output or a reasoning. */
export type OutputItem = z.infer<typeof outputItem>;

/** Body of `/verify` and `/step`. */
export const rowWithResponse = z.looseObject({ response });

export type RowWithResponse = z.infer<typeof rowWithResponse>;

export const toolArguments = z.record(z.string(), z.unknown()).nullish();

/** Response of `/verify`: the request body with the reward and each score by its name. */
export const verifyResult = z.looseObject({
  reward: z.number(),
  is_truncated: z.boolean(),
  stop_reason: z.string(),
});

/** Response of `/reset`. */
export const resetResult = z.object({
  observation: z.string().nullable(),
  info: z.looseObject({ supports_explicit_close: z.literal(true) }),
});

/** Response of `/step`. */
export const gymStepResult = z.object({
  observation: z.string().nullable(),
  reward: z.number(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  info: z.looseObject({
    tool_outputs: z.array(z.object({ call_id: z.string(), output: z.string() })),
    supports_explicit_close: z.literal(true),
  }),
});

export type GymStepResult = z.infer<typeof gymStepResult>;

/** Body of `/aggregate_metrics`: results of `/verify`, in an object or as an array. */
export const verifyResults = z.union([
  z.looseObject({ verify_responses: objectArray(z.looseObject({})) }),
  objectArray(z.looseObject({})),
]);

/** Response of `/aggregate_metrics`. */
export const metrics = z.object({
  group_level_metrics: z.array(z.looseObject({})),
  agent_metrics: z.record(z.string(), z.number()),
  key_metrics: z.record(z.string(), z.number()),
});

export type Metrics = z.infer<typeof metrics>;
