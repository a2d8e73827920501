import { type AssistantMessage, ConfigError, type Message } from "@envs/core";

import type { Renderer } from "./renderer.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * The chat template of the tiny model. Each message is the token of its role and its text; what the model says ends with
 * `<|end|>`:
 *
 *     <|system|>You play X.<|user|>Your turn.<|assistant|><move>4</move><|end|><|user|>You win.
 *
 * Tool results are shown after `<|tool|>`. Calls of tools and thoughts apart from the text have no place in it and are refused.
 */
export function chatRenderer(tokenizer: Tokenizer): Renderer {
  const { roleIds } = tokenizer;
  const end = roleIds["<|end|>"];
  const speak = roleIds["<|assistant|>"];

  const reply = (message: AssistantMessage): number[] => {
    refuseHidden(message);
    return [...tokenizer.encode(message.content), end];
  };
  const render = (message: Message): number[] =>
    message.role === "assistant"
      ? [speak, ...reply(message)]
      : [roleIds[`<|${message.role}|>`], ...tokenizer.encode(message.content)];

  return {
    stopIds: [end],
    prompt: (messages) => [...messages.flatMap(render), speak],
    bridge: (messages, isClosed) => [
      ...(isClosed ? [] : [end]),
      ...messages.flatMap(render),
      speak,
    ],
    reply,
    text: (ids) => tokenizer.decode(ids.at(-1) === end ? ids.slice(0, -1) : ids),
  };
}

/** Left out silently, they would make the model learn from a conversation that never took place. */
function refuseHidden({ tool_calls: calls, reasoning_content: thoughts }: AssistantMessage): void {
  if (calls !== undefined && calls.length > 0) {
    throw new ConfigError(
      "A reply calls tools, which the tiny model's chat template cannot write. Train on an environment without tools, or leave these conversations out.",
    );
  }
  if (thoughts !== undefined && thoughts !== "") {
    throw new ConfigError(
      "A reply has reasoning_content, which the tiny model's chat template cannot write. Put the thoughts into the reply's text, or leave these conversations out.",
    );
  }
}
