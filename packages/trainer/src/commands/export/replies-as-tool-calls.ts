import type { AssistantMessage, Content, Message, ToolCall } from "@envs/core";
import type { ServedTools } from "@envs/serve";

/**
 * Converts a conversation to the form in which a trainer that supports only tools sees it: plain replies become calls of
 * the tool `respond`, and the environment's messages become its results.
 */
export function repliesAsToolCalls(
  completion: readonly Message[],
  tools: ServedTools,
): readonly Message[] {
  const messages: Message[] = [];
  let callId: string | undefined;
  for (const [index, message] of completion.entries()) {
    if (message.role === "assistant") {
      callId = message.tool_calls?.length ? undefined : `call_${index}`;
      messages.push(
        callId === undefined
          ? { ...message, tool_calls: message.tool_calls!.map((call) => servedCall(call, tools)) }
          : respondCall(message, callId, tools.respond),
      );
    } else if (callId === undefined) messages.push(message);
    else {
      const last = messages.at(-1);
      // A call has exactly one result: merge consecutive messages of the environment.
      if (last?.role === "tool")
        messages[messages.length - 1] = {
          ...last,
          content: joinContents(last.content, message.content),
        };
      else messages.push({ role: "tool", tool_call_id: callId, content: message.content });
    }
  }
  return messages;
}

/** Joins two contents: as text if both are text, else as parts. */
function joinContents(first: Content, second: Content): Content {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [first, second].flatMap((content) =>
    typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
  );
}

function respondCall(message: AssistantMessage, id: string, toolName: string): AssistantMessage {
  const call = { name: toolName, arguments: JSON.stringify({ text: message.content }) };
  return { ...message, content: "", tool_calls: [{ id, type: "function", function: call }] };
}

/** Keeps the name of a tool that does not exist: models sometimes call one. */
function servedCall(
  { id, type, function: { name, ...rest } }: ToolCall,
  tools: ServedTools,
): ToolCall {
  return { id, type, function: { ...rest, name: tools.servedName(name) ?? name } };
}
