import { RolloutError, type Message } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";
import { Template } from "@huggingface/jinja";

import { withoutTools } from "./tool-prompt.ts";

/** The template of files that bring none: ChatML. */
const chatMl =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** Writes a conversation as the text that a model continues with its next message. */
export type ChatTemplate = (messages: readonly Message[], tools?: readonly ToolSpec[]) => string;

export interface SpecialTexts {
  readonly bos: string;
  readonly eos: string;
}

/** Makes a chat template of the Jinja text that a model file brings. */
export function chatTemplate(source: string | undefined, { bos, eos }: SpecialTexts): ChatTemplate {
  const template = new Template(source ?? chatMl);
  const render = (messages: readonly Message[], tools: readonly ToolSpec[] = []): string =>
    template.render({
      messages: messages.map(templateMessage),
      ...(tools.length > 0
        ? { tools: tools.map((tool) => ({ type: "function", function: tool })) }
        : {}),
      add_generation_prompt: true,
      bos_token: bos,
      eos_token: eos,
    });
  const knowsTools = namesTools(render);

  return (messages, tools = []) => {
    const [asked, named] = knowsTools ? [messages, tools] : [withoutTools(messages, tools), []];
    try {
      return render(asked, named);
    } catch {
      // Some templates refuse system messages, or two messages of one side in a row.
      return renderMerged(render, asked, named);
    }
  };
}

type Render = (messages: readonly Message[], tools?: readonly ToolSpec[]) => string;

function renderMerged(
  render: Render,
  messages: readonly Message[],
  tools: readonly ToolSpec[],
): string {
  try {
    return render(merged(messages), tools);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RolloutError(
      "model",
      `The model's chat template refuses this conversation: ${reason}`,
      { cause: error },
    );
  }
}

/** Makes system messages part of the user's, and neighbours of one side one message. */
export function merged(messages: readonly Message[]): readonly Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    const role = message.role === "system" ? "user" : message.role;
    if (role === "user" && last?.role === "user")
      result[result.length - 1] = { role, content: `${last.content}\n\n${message.content}` };
    else result.push(role === "user" ? { role, content: message.content } : message);
  }
  return result;
}

/** Finds out whether a template tells the model of its tools, by trying. */
function namesTools(render: Render): boolean {
  const name = "a_tool_to_look_for";
  const tool = { name, description: "", parameters: { type: "object", properties: {} } };
  try {
    return render([{ role: "user", content: "Hello" }], [tool]).includes(name);
  } catch {
    return false;
  }
}

/** Templates want the arguments of a call as an object. */
function templateMessage(message: Message): object {
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) => {
      const { name, arguments: json } = call.function;
      return { ...call, function: { name, arguments: parsed(json) } };
    }),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
