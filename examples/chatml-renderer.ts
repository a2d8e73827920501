// The chat template of Qwen and its relatives as a renderer, on a model's own tokenizer.
import { type AssistantMessage, ConfigError, type Message } from "@envs/core";
import type { Renderer } from "@envs/trainer";
import { Tokenizer } from "@huggingface/tokenizers";

/** `tokenizerJson` and `tokenizerConfig` are the files of these names that come with a model. */
export function chatmlRenderer(tokenizerJson: object, tokenizerConfig: object): Renderer {
  const tokenizer = new Tokenizer(tokenizerJson, tokenizerConfig);
  const idOf = (token: string): number => {
    const id = tokenizer.token_to_id(token);
    if (id === undefined) throw new ConfigError(`The tokenizer does not know ${token}.`);
    return id;
  };
  const start = idOf("<|im_start|>");
  const end = idOf("<|im_end|>");

  const encode = (text: string): number[] => {
    const { ids } = tokenizer.encode(text, { add_special_tokens: false });
    if (ids.includes(start) || ids.includes(end))
      throw new ConfigError("A message spells a token that only the template may write.");
    return ids;
  };
  // #region template
  const newline = encode("\n");
  const speak = [start, ...encode("assistant\n")];
  const reply = ({ content, tool_calls, reasoning_content }: AssistantMessage): number[] => {
    if (tool_calls !== undefined || reasoning_content !== undefined)
      throw new ConfigError("This template writes neither tool calls nor thoughts.");
    return [...encode(content), end];
  };
  const render = (message: Message): number[] => {
    if (message.role === "assistant") return [...speak, ...reply(message), ...newline];
    if (message.role === "tool") throw new ConfigError("This template shows no tool results.");
    return [start, ...encode(`${message.role}\n${message.content}`), end, ...newline];
  };

  return {
    stopIds: [end],
    prompt: (messages) => [...messages.flatMap(render), ...speak],
    bridge: (messages, isClosed) => [
      ...(isClosed ? [] : [end]),
      ...newline,
      ...messages.flatMap(render),
      ...speak,
    ],
    reply,
    text: (ids) =>
      tokenizer.decode(ids.at(-1) === end ? ids.slice(0, -1) : [...ids], {
        clean_up_tokenization_spaces: false,
      }),
  };
  // #endregion
}
