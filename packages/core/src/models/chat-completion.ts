import * as z from "zod";

import { RolloutError } from "../errors.ts";
import { type AssistantMessage, assistantFrom } from "../message.ts";
import type { FinishReason, ModelResponse, TokenTrace } from "../model.ts";

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

const toolCall = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});

const textPart = z.object({ text: optional(z.string()) });

/** The error body that some servers send with the status 200. */
const errorBody = z.object({ error: z.object({ message: z.string() }) });

/** The fields of a chat completion that this package reads: those of OpenAI, vLLM, DeepSeek and OpenRouter. */
const chatCompletion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: optional(z.string()),
        message: z.object({
          content: optional(z.union([z.string(), z.array(textPart)])),
          reasoning_content: optional(z.string()),
          reasoning: optional(z.string()),
          reasoning_details: optional(z.array(textPart)),
          tool_calls: z.array(toolCall).nullish(),
        }),
        logprobs: optional(z.object({ content: z.array(z.object({ logprob: z.number() })) })),
        token_ids: optional(z.array(z.int())),
      }),
    )
    .min(1),
  usage: optional(z.object({ prompt_tokens: z.number(), completion_tokens: z.number() })),
  prompt_token_ids: optional(z.array(z.int())),
});

type ChatCompletion = z.output<typeof chatCompletion>;
type Choice = ChatCompletion["choices"][number];

/** Parses a chat completion. Throws a `RolloutError` if it is invalid. */
export function readCompletion(body: unknown): ModelResponse {
  const parsed = chatCompletion.safeParse(body);
  if (!parsed.success) {
    const { data } = errorBody.safeParse(body);
    if (data) throw new RolloutError("model", `The server failed: ${data.error.message}`);
    const problem = z.prettifyError(parsed.error);
    throw new RolloutError("model", `The server's response is not a chat completion:\n${problem}`);
  }
  const { choices, usage, prompt_token_ids: promptIds } = parsed.data;
  const choice = choices[0]!;
  const message = readMessage(choice);
  return {
    message,
    finish: readFinish(choice.finish_reason, message),
    usage: usage
      ? { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }
      : undefined,
    tokens: readTokens(choice, promptIds),
  };
}

function readMessage({ message }: Choice): AssistantMessage {
  const reasoning =
    message.reasoning_content || message.reasoning || textOf(message.reasoning_details);
  const toolCalls = message.tool_calls?.map((call, index) => ({
    id: call.id || `call_${index}`,
    type: "function" as const,
    function: { name: call.function.name, arguments: call.function.arguments ?? "" },
  }));
  return assistantFrom({ content: textOf(message.content), reasoning, toolCalls });
}

function textOf(content: string | readonly z.output<typeof textPart>[] | null | undefined): string {
  if (typeof content === "string") return content;
  return content?.map(({ text }) => text ?? "").join("") ?? "";
}

function readFinish(reason: string | null | undefined, message: AssistantMessage): FinishReason {
  if (reason === "length" || reason === "content_filter") return reason;
  return message.tool_calls === undefined ? "stop" : "tool_calls";
}

function readTokens(
  choice: Choice,
  promptIds: readonly number[] | null | undefined,
): TokenTrace | undefined {
  const completionIds = choice.token_ids;
  const completionLogprobs = choice.logprobs?.content.map(({ logprob }) => logprob);
  if (!promptIds || !completionIds || completionIds.length !== completionLogprobs?.length)
    return undefined;
  return { promptIds, completionIds, completionLogprobs };
}
