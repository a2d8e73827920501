import * as z from "zod";

/** Objects, at whose first fault the search for faults ends: millions of them are more than this machine can hold. */
function objects<Each extends z.ZodObject>(each: Each) {
  return z
    .array(z.unknown() as unknown as z.ZodType<z.output<Each>>)
    .refine((all) => all.every((one) => each.safeParse(one).success), "These must be objects.")
    .meta({ items: { ...z.toJSONSchema(each), $schema: undefined } });
}

/** Which example a row means. */
const verifierMetadata = z.looseObject({
  split: z.string().optional(),
  index: z.int().min(0).describe("The example's place in its split"),
  id: z.string().optional().describe("The example's key: checked, if it is there"),
  seed: z.int().optional().describe("Of the episode. Default: the server's"),
});

/** A row of a dataset, as agents send it; whatever else it holds is kept. */
export const row = z.looseObject({
  responses_create_params: z
    .looseObject({ input: z.union([z.string(), z.array(z.unknown())]).optional() })
    .optional(),
  verifier_metadata: verifierMetadata,
});

/** See {@link row}. */
export type Row = z.infer<typeof row>;

const name = z.string().min(1);

/** What seeds a session: a row, or a row that an environment server has wrapped and named. */
export const seed = z
  .looseObject({
    ...row.partial().shape,
    resources_session_id: name.optional().describe("The session's name, by which it is closed"),
    task_data: row.optional().describe("The row of a session that is named"),
  })
  .transform((sent, context): { readonly name: string | undefined; readonly row: Row } => {
    const { resources_session_id: named, task_data: data, verifier_metadata } = sent;
    const found = named === undefined ? verifier_metadata && { ...sent, verifier_metadata } : data;
    if (found !== undefined) return { name: named, row: found };
    const path = [named === undefined ? "verifier_metadata" : "task_data"];
    context.issues.push({ code: "custom", message: "This field is needed.", path, input: sent });
    return z.NEVER;
  });

/** What closes a session: its name, or nothing but its cookie. */
export const closing = z.looseObject({ resources_session_id: name.optional() }).nullish();

/** What is answered to both. */
export const known = z.object({ resources_session_id: name.optional() });

const outputItem = z.looseObject({ type: z.string().optional() });

/** An OpenAI Responses object: what the model said. */
const response = z.looseObject({
  output: objects(outputItem),
  incomplete_details: z
    .looseObject({ reason: z.string().nullish() })
    .nullish()
    .describe("Why the model said less than it wanted to"),
});

/** One thing of a Responses object: a message, a call, the answer to one, a thought. */
export type OutputItem = z.infer<typeof outputItem>;

/** A row with what the model said. */
export const answered = z.looseObject({ response });

/** See {@link answered}. */
export type Answered = z.infer<typeof answered>;

/** The arguments of a tool. */
export const toolArguments = z.record(z.string(), z.unknown()).nullish();

/** What `/verify` answers: all that it was sent, the reward, and each score by its name. */
export const verified = z.looseObject({
  reward: z.number(),
  is_truncated: z.boolean(),
  stop_reason: z.string(),
});

/** What `/reset` answers. */
export const opened = z.object({
  observation: z.string().nullable(),
  info: z.looseObject({ supports_explicit_close: z.literal(true) }),
});

/** What `/step` answers. */
export const stepped = z.object({
  observation: z.string().nullable(),
  reward: z.number(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  info: z.looseObject({
    tool_outputs: z.array(z.object({ call_id: z.string(), output: z.string() })),
    supports_explicit_close: z.literal(true),
  }),
});

/** See {@link stepped}. */
export type Stepped = z.infer<typeof stepped>;

/** Results of `/verify`, in an object or bare. */
export const verifyResults = z.union([
  z.looseObject({ verify_responses: objects(z.looseObject({})) }),
  objects(z.looseObject({})),
]);

/** What `/aggregate_metrics` answers. */
export const metrics = z.object({
  group_level_metrics: z.array(z.looseObject({})),
  agent_metrics: z.record(z.string(), z.number()),
  key_metrics: z.record(z.string(), z.number()),
});

/** See {@link metrics}. */
export type Metrics = z.infer<typeof metrics>;
