import { type Message, RolloutError, textOf } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type { ToolSpec } from "@envs/core/engine";
import { Template } from "@huggingface/jinja";

import { toPlainText } from "./tool-calls.ts";

/** The default template, ChatML, for files without one. */
const chatMl =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** Renders a conversation as the prompt that the model continues with its next message. */
export type ChatTemplate = (messages: readonly Message[], tools?: readonly ToolSpec[]) => string;

export interface SpecialTokens {
  readonly bos: string;
  readonly eos: string;
}

/** Compiles the Jinja chat template of a model file. */
export function chatTemplate(
  source: string | undefined,
  { bos, eos }: SpecialTokens,
): ChatTemplate {
  const template = new Template(source ?? chatMl);
  const render = (messages: readonly Message[], tools: readonly ToolSpec[] = []): string =>
    template.render({
      messages: messages.map(templateMessage),
      tools:
        tools.length > 0 ? tools.map((tool) => ({ type: "function", function: tool })) : undefined,
      add_generation_prompt: true,
      bos_token: bos,
      eos_token: eos,
    });
  const hasToolSupport = supportsTools(render);

  return (messages, tools = []) => {
    const [plain, specs] = hasToolSupport ? [messages, tools] : [toPlainText(messages, tools), []];
    try {
      return render(plain, specs);
    } catch {
      // Some templates reject system messages, or consecutive messages of the same role.
      return renderMerged(render, plain, specs);
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
    return render(mergeMessages(messages), tools);
  } catch (error) {
    const reason = messageOf(error);
    throw new RolloutError(
      "model",
      `The model's chat template rejects this conversation: ${reason}`,
      { cause: error },
    );
  }
}

/** Converts system messages to user messages, and joins consecutive user messages. */
export function mergeMessages(messages: readonly Message[]): readonly Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    const role = message.role === "system" ? "user" : message.role;
    if (role === "user" && last?.role === "user")
      result[result.length - 1] = {
        role,
        content: `${textOf(last.content)}\n\n${textOf(message.content)}`,
      };
    else result.push(role === "user" ? { role, content: message.content } : message);
  }
  return result;
}

/** Whether the rendered prompt contains the name of a tool. */
function supportsTools(render: Render): boolean {
  const name = "probe_tool";
  const tool = { name, description: "", parameters: { type: "object", properties: {} } };
  try {
    return render([{ role: "user", content: "Hello" }], [tool]).includes(name);
  } catch {
    return false;
  }
}

/** Templates expect the arguments of a call as an object. */
function templateMessage(message: Message): object {
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) => {
      const { name, arguments: json } = call.function;
      return { ...call, function: { name, arguments: parseOrText(json) } };
    }),
  };
}

function parseOrText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
