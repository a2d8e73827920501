import * as z from "zod";

const textBlock = z.object({ type: z.literal("text"), text: z.string() });

const source = z.discriminatedUnion("type", [
  z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.object({ type: z.literal("url"), url: z.string() }),
  z.object({ type: z.literal("text"), data: z.string() }),
]);

const mediaBlock = z.object({
  type: z.enum(["image", "document"]),
  source,
  title: z.string().nullish(),
});

const resultBlock = z.union([textBlock, mediaBlock]);

const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(resultBlock)]).default(""),
});

const userBlock = z.discriminatedUnion("type", [textBlock, mediaBlock, toolResult]);

export type UserBlock = z.output<typeof userBlock>;
export type ResultBlock = z.output<typeof resultBlock>;

const assistantBlock = z.discriminatedUnion("type", [
  textBlock,
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.literal("redacted_thinking") }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);

export type AssistantBlock = z.output<typeof assistantBlock>;

const systemText = z.union([z.string(), z.array(textBlock)]);

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(userBlock)]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(assistantBlock)]),
  }),
  z.object({ role: z.literal("system"), content: systemText }),
]);

export type WireMessage = z.output<typeof message>;

const tool = z.union([
  z.object({
    type: z.literal("custom").nullish(),
    name: z.string().min(1),
    description: z.string().nullish(),
    input_schema: z.record(z.string(), z.unknown()),
  }),
  // Tools that Anthropic executes or defines. Other models do not have them.
  z.object({ type: z.string().refine((type) => type !== "custom") }),
]);

const format = z.object({
  type: z.literal("json_schema"),
  schema: z.record(z.string(), z.unknown()),
});

/** The fields of a Messages request that the gateway reads. It ignores the others. */
export const messagesRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1, "must have at least one message"),
  system: systemText.nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.object({ type: z.enum(["auto", "any", "none"]) }),
      z.object({ type: z.literal("tool"), name: z.string() }),
    ])
    .nullish(),
  output_config: z
    .object({ format: format.nullish(), effort: z.string().nullish().catch(undefined) })
    .nullish(),
  thinking: z.object({ budget_tokens: z.number().nullish() }).nullish().catch(undefined),
  /** Requests that count tokens lack it. */
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
});

export type MessagesRequest = z.output<typeof messagesRequest>;
