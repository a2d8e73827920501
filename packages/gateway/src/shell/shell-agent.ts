import { type Message, RolloutError, type ToolCall, type ToolMessage } from "@envs/core";
import { isRolloutError, messageOf } from "@envs/core/engine";
import { openai } from "@envs/models";

import type { AgentFunction } from "../agent/agent-run.ts";
import type { AgentTools } from "../agent/agent-tools.ts";
import { agent, type Agent, type AgentOptions } from "../agent/agent.ts";
import { shortenOutputs } from "./shorten-outputs.ts";

const advice = `Look before you change something. Run what you write, and check the result against the task before you finish.
Commands cannot ask for input. The outputs of old commands are shortened: read again what you need.
When the task is done, reply with a short summary and without a tool call.`;
const again =
  "Your reply was empty or cut. Call a tool, or reply with a summary if the task is done.";
const maxEmptyReplies = 3;
/** The characters of a conversation at which outputs are shortened, about 60,000 tokens. */
const defaultCharacters = 240_000;
const leastCharacters = 8_000;

/**
 * Makes a plain agent: it calls the environment's tools, such as the commands and edits of a machine, until its model replies
 * without a call. Unlike a bare model, it keeps long conversations small, and asks again after an empty reply.
 */
export function shellAgent(options: AgentOptions = {}): Agent {
  return agent(play, { id: "shell", ...options });
}

const play: AgentFunction = async ({ baseURL, apiKey, model, messages, tools, signal }) => {
  const ask = openai(model, { baseURL, apiKey });
  const specs = Object.entries(tools).map(([name, { description, parameters }]) => ({
    name,
    description,
    parameters,
  }));
  let conversation: readonly Message[] = [{ role: "system", content: advice }, ...messages];
  let limit = defaultCharacters;
  for (let empty = 0; ;) {
    conversation = shortenOutputs(conversation, limit);
    const response = await ask({ messages: conversation, tools: specs, signal }).catch(
      (error: unknown) => {
        if (!isRolloutError(error) || !error.isOverflow || limit < leastCharacters) throw error;
        limit /= 2;
      },
    );
    if (response === undefined) continue;
    const { message, finish } = response;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && finish !== "length" && message.content.trim() !== "")
      return message.content;
    if (calls.length === 0) {
      empty += 1;
      if (empty > maxEmptyReplies) return message.content;
      conversation = [...conversation, message, { role: "user", content: again }];
      continue;
    }
    const results = await Promise.all(calls.map((call) => run(call, tools)));
    conversation = [...conversation, message, ...results];
  }
};

async function run({ id, function: called }: ToolCall, tools: AgentTools): Promise<ToolMessage> {
  const result = (content: ToolMessage["content"]): ToolMessage => ({
    role: "tool",
    tool_call_id: id,
    content,
  });
  const { name, arguments: text } = called;
  if (!Object.hasOwn(tools, name))
    return result(`There is no tool ${name}. Call one of ${Object.keys(tools).join(", ")}.`);
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(text || "{}") as Record<string, unknown>;
  } catch (error) {
    return result(`The arguments are not JSON: ${messageOf(error)}`);
  }
  try {
    return result(await tools[name]!.execute(input));
  } catch (error) {
    if (error instanceof RolloutError) throw error;
    return result(messageOf(error));
  }
}
