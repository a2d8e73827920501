import Anthropic from "@anthropic-ai/sdk";
import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages";

import { type SdkClient, type Step, toolSchema } from "./sdk-client.ts";

export const anthropic: SdkClient = {
  name: "@anthropic-ai/sdk",
  ends: { stop: "end_turn", length: "max_tokens", tools: "tool_use" },
  hasStop: true,
  async ask({ origin, apiKey }, question, { stream, retries = 0 }) {
    const client = new Anthropic({ baseURL: origin, apiKey, maxRetries: retries });
    const { system, steps, tools, mustCall, schema, temperature, stop, maxTokens, signal } =
      question;
    const body = {
      model: "any",
      max_tokens: maxTokens ?? 100,
      ...(system === undefined ? {} : { system }),
      messages: joined(steps),
      ...(tools && { tools: tools.map((tool) => ({ ...tool, input_schema: toolSchema })) }),
      ...(mustCall && { tool_choice: { type: "tool" as const, name: mustCall } }),
      ...(schema && {
        output_config: { format: { type: "json_schema" as const, schema: { ...schema } } },
      }),
      ...(temperature !== undefined && { temperature }),
      ...(stop && { stop_sequences: [...stop] }),
    };
    const message = stream
      ? await client.messages.stream(body, { signal }).finalMessage()
      : await client.messages.create(body, { signal });
    const { content, usage } = message;
    return {
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      reasoning: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      calls: content.flatMap((block) =>
        block.type === "tool_use"
          ? [{ id: block.id, name: block.name, input: block.input as Record<string, unknown> }]
          : [],
      ),
      end: message.stop_reason,
      // The sum of all input tokens, as other providers count them.
      inputTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
      outputTokens: usage.output_tokens,
      cachedTokens: usage.cache_read_input_tokens ?? undefined,
    };
  },
};

/** Results of tools are parts of one message. */
function joined(steps: readonly Step[]): MessageParam[] {
  const messages: { role: "user" | "assistant"; content: ContentBlockParam[] }[] = [];
  for (const step of steps) {
    const role = "reply" in step ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(step));
    else messages.push({ role, content: blocksOf(step) });
  }
  return messages;
}

function blocksOf(step: Step): ContentBlockParam[] {
  if ("user" in step)
    return [
      { type: "text", text: step.user },
      ...(step.image === undefined
        ? []
        : [
            {
              type: "image" as const,
              source: {
                type: "base64" as const,
                media_type: "image/png" as const,
                data: step.image,
              },
            },
          ]),
    ];
  if ("result" in step)
    return [{ type: "tool_result", tool_use_id: step.of.id, content: step.result }];
  return [
    ...(step.reasoning === undefined
      ? []
      : [{ type: "thinking" as const, thinking: step.reasoning, signature: "unsigned" }]),
    ...(step.reply === "" ? [] : [{ type: "text" as const, text: step.reply }]),
    ...(step.calls ?? []).map((call) => ({ type: "tool_use" as const, ...call })),
  ];
}
