import { readCompletion } from "./chat-completion.ts";
import { chatJoiner } from "./chat-joiner.ts";
import { chatBody, type OpenAIOptions } from "./chat-request.ts";
import { embeddingsRoute } from "./embeddings-route.ts";
import type { Wire } from "./wire.ts";

/** OpenAI's chat completions, which most servers of other models have, too. */
export const chatWire: Wire<OpenAIOptions> = {
  dialect: "chat",
  server: {
    api: "chat completions",
    addressHint: "that the base URL ends in /v1",
    baseURLVariable: "OPENAI_BASE_URL",
    apiKeyVariable: "OPENAI_API_KEY",
    defaultURL: "https://api.openai.com/v1",
    headers: (apiKey, variable) => ({
      authorization: `Bearer ${apiKey}`,
      "openai-organization": variable("OPENAI_ORG_ID"),
      "openai-project": variable("OPENAI_PROJECT_ID"),
    }),
  },
  path: () => "/chat/completions",
  body: chatBody,
  nestedFields: [],
  clientFields: ["messages", "tools", "tool_choice", "response_format"],
  // Two names of one limit, of which a server supports one.
  replacedFields: ["max_tokens", "max_completion_tokens"],
  streamFields: ({ stream_options: asked }) => ({
    stream: true,
    stream_options: { ...(asked as object | undefined), include_usage: true },
  }),
  // Tools' images move to messages of the user, and reasoning is left out: see `chatBody`.
  isRewritten: ({ messages }, { keepReasoning = false }) =>
    messages.some(
      (message) =>
        (message.role === "tool" && typeof message.content !== "string") ||
        (message.role === "assistant" && message.reasoning_content !== undefined && !keepReasoning),
    ),
  read: readCompletion,
  join: chatJoiner,
  other: embeddingsRoute,
};
