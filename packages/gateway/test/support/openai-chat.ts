import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";

import { type SdkClient, type Step, toolSchema } from "./sdk-client.ts";

export const openaiChat: SdkClient = {
  name: "openai, chat completions",
  ends: { stop: "stop", length: "length", tools: "tool_calls" },
  hasStop: true,
  async ask({ baseURL, apiKey }, question, { stream, retries = 0 }) {
    const client = new OpenAI({ baseURL, apiKey, maxRetries: retries });
    const { system, steps, tools, mustCall, schema, temperature, stop, maxTokens, signal } =
      question;
    const body = {
      model: "any",
      messages: [
        ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
        ...steps.map(messageOf),
      ],
      ...(tools && {
        tools: tools.map((tool) => ({
          type: "function" as const,
          function: { ...tool, parameters: toolSchema },
        })),
      }),
      ...(mustCall && {
        tool_choice: { type: "function" as const, function: { name: mustCall } },
      }),
      ...(schema && {
        response_format: {
          type: "json_schema" as const,
          json_schema: { name: "reply", schema: { ...schema } },
        },
      }),
      ...(temperature !== undefined && { temperature }),
      ...(stop && { stop: [...stop] }),
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    };
    // The SDK does not know thoughts, which are an extension of other servers.
    let thoughts = "";
    const completion = stream
      ? await client.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } }, { signal })
          .on("chunk", (chunk) => (thoughts += thoughtsOf(chunk.choices[0]?.delta)))
          .finalChatCompletion()
      : await client.chat.completions.create(body, { signal });
    const [choice] = completion.choices;
    const { usage } = completion;
    return {
      text: choice?.message.content ?? "",
      reasoning: thoughts || thoughtsOf(choice?.message),
      calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
        call.type === "function"
          ? [
              {
                id: call.id,
                name: call.function.name,
                input: JSON.parse(call.function.arguments) as Record<string, unknown>,
              },
            ]
          : [],
      ),
      end: choice?.finish_reason,
      inputTokens: usage?.prompt_tokens,
      outputTokens: usage?.completion_tokens,
      cachedTokens: usage?.prompt_tokens_details?.cached_tokens,
    };
  },
};

function thoughtsOf(message: object | undefined): string {
  return (message as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
}

function messageOf(step: Step): ChatCompletionMessageParam {
  if ("user" in step)
    return {
      role: "user",
      content:
        step.image === undefined
          ? step.user
          : [
              { type: "text", text: step.user },
              { type: "image_url", image_url: { url: `data:image/png;base64,${step.image}` } },
            ],
    };
  if ("result" in step) return { role: "tool", tool_call_id: step.of.id, content: step.result };
  return {
    role: "assistant",
    content: step.reply,
    ...(step.reasoning && { reasoning_content: step.reasoning }),
    ...(step.calls && {
      tool_calls: step.calls.map(({ id, name, input }) => ({
        id,
        type: "function" as const,
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
  };
}
