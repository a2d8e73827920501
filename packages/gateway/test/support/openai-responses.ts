import OpenAI from "openai";
import type { Response, ResponseInputItem } from "openai/resources/responses/responses";

import { type Answer, type SdkClient, type Step, toolSchema } from "./sdk-client.ts";

export const openaiResponses: SdkClient = {
  name: "openai, Responses",
  ends: { stop: "completed", length: "max_output_tokens", tools: "completed" },
  hasStop: false,
  async ask({ baseURL, apiKey }, question, { stream, retries = 0 }) {
    const client = new OpenAI({ baseURL, apiKey, maxRetries: retries });
    const { system, steps, tools, mustCall, schema, temperature, maxTokens, signal } = question;
    const body = {
      model: "any",
      ...(system === undefined ? {} : { instructions: system }),
      input: steps.flatMap(itemsOf),
      ...(tools && {
        tools: tools.map((tool) => ({
          type: "function" as const,
          ...tool,
          parameters: toolSchema,
          strict: false,
        })),
      }),
      ...(mustCall && { tool_choice: { type: "function" as const, name: mustCall } }),
      ...(schema && {
        text: { format: { type: "json_schema" as const, name: "reply", schema: { ...schema } } },
      }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    };
    const response = stream
      ? await client.responses.stream(body, { signal }).finalResponse()
      : await client.responses.create(body, { signal });
    return answerOf(response as Response);
  },
};

function answerOf({
  output,
  output_text: text,
  status,
  incomplete_details,
  usage,
}: Response): Answer {
  return {
    text,
    reasoning: output
      .flatMap((item) => (item.type === "reasoning" ? item.summary.map((part) => part.text) : []))
      .join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [
            {
              id: item.call_id,
              name: item.name,
              input: JSON.parse(item.arguments) as Record<string, unknown>,
            },
          ]
        : [],
    ),
    end: incomplete_details?.reason ?? status,
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
    cachedTokens: usage?.input_tokens_details.cached_tokens,
  };
}

function itemsOf(step: Step): ResponseInputItem[] {
  if ("user" in step)
    return [
      {
        role: "user",
        content:
          step.image === undefined
            ? step.user
            : [
                { type: "input_text", text: step.user },
                {
                  type: "input_image",
                  image_url: `data:image/png;base64,${step.image}`,
                  detail: "auto",
                },
              ],
      },
    ];
  if ("result" in step)
    return [{ type: "function_call_output", call_id: step.of.id, output: step.result }];
  return [
    ...(step.reasoning === undefined
      ? []
      : [
          {
            type: "reasoning" as const,
            id: "rs_0",
            summary: [{ type: "summary_text" as const, text: step.reasoning }],
          },
        ]),
    ...(step.reply === "" ? [] : [{ role: "assistant" as const, content: step.reply }]),
    ...(step.calls ?? []).map(({ id, name, input }) => ({
      type: "function_call" as const,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
  ];
}
