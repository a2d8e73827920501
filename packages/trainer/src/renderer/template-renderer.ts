import { type AssistantMessage, ConfigError, type Message } from "@envs/core";
import { messageOf, requireText } from "@envs/core/engine";
import type { Renderer } from "@envs/tiny-model";
import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";

/** The files of a model that determine its prompts, in the formats of Hugging Face. */
export interface TemplateFiles {
  /** `tokenizer.json`. */
  readonly tokenizer: object;
  /** `tokenizer_config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** `chat_template.jinja`. Default: the template in `config`. */
  readonly template?: string | undefined;
  /** Tokens that end a reply beside the template's own: `eos_token_id` of `generation_config.json`. */
  readonly stopIds?: readonly number[] | undefined;
}

const question: Message = { role: "user", content: "a" };
const answer: AssistantMessage = { role: "assistant", content: "b" };

/**
 * Renders conversations by a model's own tokenizer and chat template. Throws a `ConfigError` for a template that rewrites
 * earlier turns: the model would train on tokens that it did not sample.
 */
export function templateRenderer(files: TemplateFiles): Renderer {
  const tokenizer = new Tokenizer(files.tokenizer, files.config);
  const render = templateOf(files);
  const encode = (text: string): number[] =>
    tokenizer.encode(text, { add_special_tokens: false }).ids;
  const special = [...tokenizer.get_added_tokens_decoder().values()]
    .filter((token) => token.special)
    .map(({ content }) => content);

  const checked = (messages: readonly Message[]): readonly Message[] => {
    for (const message of messages) checkMessage(message, special);
    return messages;
  };
  const before = render([question], true) + answer.content;
  const stop = encode(render([question, answer], false).slice(before.length))[0];
  const afterAnswer = render([question, answer, question], true);
  if (stop === undefined || !afterAnswer.startsWith(before))
    throw new ConfigError(
      "The chat template rewrites earlier replies, so the model would train on tokens that it did not sample. Edit chat_template.jinja so that it keeps them.",
    );
  const end = tokenizer.decode([stop], { skip_special_tokens: false });
  const stopIds = [...new Set([stop, ...(files.stopIds ?? [])])];

  const reply = (message: AssistantMessage): number[] => {
    checkMessage(message, special);
    return [...encode(message.content), stop];
  };
  const renderer: Renderer = {
    stopIds,
    prompt: (messages) => encode(render(checked(messages), true)),
    bridge: (messages, isClosed) => {
      const text = render([question, answer, ...checked(messages)], true);
      const rest = encode(text.slice(before.length + end.length));
      return isClosed ? rest : [stop, ...rest];
    },
    reply,
    text: (ids) => {
      const isStopped = stopIds.includes(ids.at(-1) ?? -1);
      const content = isStopped ? ids.slice(0, -1) : [...ids];
      // The tokenizer rejects an empty list: a reply may be the stop token alone.
      if (content.length === 0) return "";
      return tokenizer.decode(content, { clean_up_tokenization_spaces: false });
    },
  };
  checkContinuation(renderer);
  return renderer;
}

/** Renders the text of a conversation, with the start of the next reply if `isOpen`. */
function templateOf({
  config,
  template,
}: TemplateFiles): (messages: readonly Message[], isOpen: boolean) => string {
  const source = template ?? config["chat_template"];
  if (typeof source !== "string")
    throw new ConfigError(
      "The tokenizer has no chat template, so the model is not made for conversations. Use an instruction-tuned model, or add a chat_template.jinja to its folder.",
    );
  const tokens = Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      name.endsWith("_token") && value !== null
        ? [[name, typeof value === "object" ? (value as { content: string }).content : value]]
        : [],
    ),
  );
  const compiled = new Template(source);
  return (messages, isOpen) => {
    try {
      return compiled.render({ ...tokens, messages, add_generation_prompt: isOpen });
    } catch (error) {
      throw new ConfigError(
        `The model's chat template cannot render this conversation: ${messageOf(error)}`,
        [],
        { cause: error },
      );
    }
  };
}

function checkMessage(message: Message, special: readonly string[]): void {
  if (message.role === "tool")
    throw new ConfigError(
      "Training a model on a service does not support tool results. Train on an environment without tools.",
    );
  if (message.role === "assistant" && (message.tool_calls?.length ?? 0) > 0)
    throw new ConfigError(
      "Training a model on a service does not support tool calls. Train on an environment without tools.",
    );
  if (message.role === "assistant" && (message.reasoning_content ?? "") !== "")
    throw new ConfigError(
      "A reply has reasoning_content, which chat templates remove from later prompts. Move the reasoning into the content, or leave out these conversations.",
    );
  const content = requireText(message.content, "This model");
  const token = special.find((text) => content.includes(text));
  if (token !== undefined)
    throw new ConfigError(
      `A message contains ${token}, a special token of the model, which would end or begin a turn. Remove it from the message.`,
    );
}

/** Throws if a prompt does not continue the tokens of the turns before it. */
function checkContinuation(renderer: Renderer): void {
  const parts = [
    ...renderer.prompt([question]),
    ...renderer.reply(answer),
    ...renderer.bridge([question], true),
  ];
  const whole = renderer.prompt([question, answer, question]);
  if (parts.join() === whole.join()) return;
  throw new ConfigError(
    "The tokenizer encodes a turn in another way if other turns precede it, so the model would train on tokens that it did not sample. Use another model.",
  );
}
