import type { FinishReason } from "@envs/core/engine";

/** What the end of a response means. `error`: the response is incomplete, and must not be scored. */
export type ReplyEnd = FinishReason | "error";

/** The finish reasons that OpenAI's API does not have, in lower case, and the servers that send them. */
const others: Readonly<Record<string, ReplyEnd>> = {
  // Anthropic, Bedrock, Gemini
  max_tokens: "length",
  // Mistral: the model's context is full
  model_length: "length",
  // Anthropic
  model_context_window_exceeded: "length",
  refusal: "content_filter",
  // Gemini
  blocklist: "content_filter",
  prohibited_content: "content_filter",
  recitation: "content_filter",
  safety: "content_filter",
  image_safety: "content_filter",
  language: "content_filter",
  spii: "content_filter",
  malformed_function_call: "error",
  malformed_response: "error",
  // GLM
  sensitive: "content_filter",
  network_error: "error",
  // OpenRouter, Mistral
  error: "error",
  // SGLang, vLLM
  abort: "error",
  // DeepSeek
  insufficient_system_resource: "error",
  // AI SDK
  "content-filter": "content_filter",
  interrupted: "error",
};

/** Reads a server's finish reason. An unknown or missing one means `stop`. */
export function replyEnd(reason: string | null | undefined): ReplyEnd {
  const name = reason?.toLowerCase() ?? "stop";
  if (name === "length" || name === "content_filter") return name;
  // Gemini adds its own reason: "content_filter: PROHIBITED_CONTENT".
  if (name.startsWith("content_filter")) return "content_filter";
  return Object.hasOwn(others, name) ? others[name]! : "stop";
}
