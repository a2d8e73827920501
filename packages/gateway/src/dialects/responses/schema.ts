import * as z from "zod";

const part = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["input_text", "output_text", "text"]), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
  z.object({ type: z.literal("input_image"), image_url: z.string() }),
  z.object({
    type: z.literal("input_file"),
    file_data: z.string("only files in base64 are possible here"),
    filename: z.string().default("file"),
  }),
]);

export type InputPart = z.output<typeof part>;

const content = z.union([z.string(), z.array(part)]);

/** An item without a type is a message. */
const message = z.object({
  type: z.literal("message").default("message"),
  role: z.enum(["user", "assistant", "system", "developer"]),
  content,
});

/** An item of a request or of a reply. */
export const item = z.union([
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("function_call"),
      call_id: z.string(),
      name: z.string(),
      namespace: z.string().nullish(),
      arguments: z.string(),
    }),
    z.object({ type: z.literal("function_call_output"), call_id: z.string(), output: content }),
    z.object({
      type: z.literal("reasoning"),
      summary: z.array(z.object({ text: z.string() })).default([]),
    }),
    z.object({ type: z.literal("item_reference"), id: z.string() }),
  ]),
  message,
]);

export type InputItem = z.output<typeof item>;

const functionTool = z.object({
  type: z.literal("function"),
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

export type FunctionTool = z.output<typeof functionTool>;

// Tools that OpenAI executes. Other models do not have them.
const hostedTool = z.object({
  type: z.string().refine((type) => type !== "function" && type !== "namespace"),
});

const tool = z.union([
  functionTool,
  z.object({
    type: z.literal("namespace"),
    name: z.string(),
    tools: z.array(z.union([functionTool, hostedTool])),
  }),
  hostedTool,
]);

const format = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string().default("reply"),
    schema: z.record(z.string(), z.unknown()),
  }),
]);

/** The fields of a Responses request that the gateway reads. It ignores the others. */
export const responsesRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(item)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.literal(["auto", "none", "required"]),
      z.object({ type: z.literal("function"), name: z.string() }),
    ])
    .nullish(),
  text: z.object({ format: format.nullish() }).nullish(),
  reasoning: z.object({ effort: z.string().nullish() }).nullish().catch(undefined),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  stream: z.boolean().nullish(),
});

export type ResponsesRequest = z.output<typeof responsesRequest>;
