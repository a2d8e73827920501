import { type AssistantMessage, ConfigError, type Message } from "@envs/core";
import { requireText } from "@envs/core/engine";

import type { Tokenizer } from "./tokenizer.ts";

/** Converts conversations to tokens, and sampled tokens to text. */
export interface Renderer {
  /** Tokens that end a completion. */
  readonly stopIds: readonly number[];
  /** Renders a whole conversation, followed by the start of the next assistant message. */
  prompt(messages: readonly Message[]): number[];
  /**
   * Renders what follows a sampled reply: the end of the reply (unless `isClosed`: the stop token was sampled), the new
   * messages, and the start of the next assistant message. Sampled tokens are thus never tokenized again.
   */
  bridge(messages: readonly Message[], isClosed: boolean): number[];
  /** Renders a reply, including the stop token, as the model would have to sample it. */
  reply(message: AssistantMessage): number[];
  /** Decodes sampled tokens, without the stop token. */
  text(ids: readonly number[]): string;
}

/**
 * The chat template of the tiny model. A message is the token of its role, then its text; assistant messages end with
 * `<|end|>`:
 *
 *     <|system|>You play X.<|user|>Your turn.<|assistant|><move>4</move><|end|><|user|>You win.
 *
 * Tool results follow `<|tool|>`. Throws a `ConfigError` for assistant messages with tool calls or `reasoning_content`.
 */
export function chatRenderer(tokenizer: Tokenizer): Renderer {
  const { roleIds } = tokenizer;
  const end = roleIds["<|end|>"];
  const assistantId = roleIds["<|assistant|>"];

  const reply = (message: AssistantMessage): number[] => {
    rejectHiddenParts(message);
    return [...tokenizer.encode(message.content), end];
  };
  const render = (message: Message): number[] =>
    message.role === "assistant"
      ? [assistantId, ...reply(message)]
      : [
          roleIds[`<|${message.role}|>`],
          ...tokenizer.encode(requireText(message.content, "The tiny model")),
        ];

  return {
    stopIds: [end],
    prompt: (messages) => [...messages.flatMap(render), assistantId],
    bridge: (messages, isClosed) => [
      ...(isClosed ? [] : [end]),
      ...messages.flatMap(render),
      assistantId,
    ],
    reply,
    text: (ids) => tokenizer.decode(ids.at(-1) === end ? ids.slice(0, -1) : ids),
  };
}

/** Throws for parts that cannot be rendered, without which the model would learn from a conversation that never took place. */
function rejectHiddenParts({
  tool_calls: calls,
  reasoning_content: reasoning,
}: AssistantMessage): void {
  if (calls !== undefined && calls.length > 0) {
    throw new ConfigError(
      "A reply has tool calls, which the tiny model's chat template cannot render. Train on an environment without tools, or leave out these conversations.",
    );
  }
  if (reasoning !== undefined && reasoning !== "") {
    throw new ConfigError(
      "A reply has reasoning_content, which the tiny model's chat template cannot render. Move the reasoning into the content, or leave out these conversations.",
    );
  }
}
