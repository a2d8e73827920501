import type { AssistantMessage, Message, ToolCall } from "@envs/core";
import type { ServedTools } from "@envs/serve";

/** What a model said and heard, as it goes under a trainer that knows only tools: plain replies are calls of `respond`. */
export function spokenAsCalls(
  completion: readonly Message[],
  tools: ServedTools,
): readonly Message[] {
  const told: Message[] = [];
  let open: string | undefined;
  for (const [index, message] of completion.entries()) {
    if (message.role === "assistant") {
      open = message.tool_calls?.length ? undefined : `call_${index}`;
      told.push(open === undefined ? underServedNames(message, tools) : call(message, open, tools));
    } else if (open === undefined) told.push(message);
    else {
      const last = told.at(-1);
      // A call has one result, however many messages the environment answers with.
      if (last?.role === "tool")
        told[told.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
      else told.push({ role: "tool", tool_call_id: open, content: message.content });
    }
  }
  return told;
}

function call(message: AssistantMessage, id: string, { respond }: ServedTools): AssistantMessage {
  const named = { name: respond, arguments: JSON.stringify({ text: message.content }) };
  return { ...message, content: "", tool_calls: [{ id, type: "function", function: named }] };
}

function underServedNames(message: AssistantMessage, tools: ServedTools): AssistantMessage {
  return { ...message, tool_calls: message.tool_calls!.map((each) => served(each, tools)) };
}

function served({ id, type, function: { name, ...rest } }: ToolCall, tools: ServedTools): ToolCall {
  // A model may call a tool that there is not; that is no name to change.
  return { id, type, function: { ...rest, name: tools.servedName(name) ?? name } };
}
