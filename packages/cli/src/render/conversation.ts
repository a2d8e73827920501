import type { Message } from "@envs/core";
import { paint } from "@envs/terminal";

const styles = { system: "magenta", user: "blue", assistant: "green", tool: "yellow" } as const;

/** Formats a conversation: each message's role as a heading, then its text, indented. */
export function conversation(messages: readonly Message[]): string {
  return messages.map(messageText).join("\n\n");
}

function messageText(message: Message): string {
  const lines = [paint(["bold", styles[message.role]], message.role)];
  if (message.role === "assistant" && message.reasoning_content !== undefined)
    lines.push(paint("dim", indent(message.reasoning_content)));
  if (message.content !== "") lines.push(indent(message.content));
  if (message.role === "assistant")
    for (const { function: call } of message.tool_calls ?? [])
      lines.push(indent(`${paint("yellow", `→ ${call.name}`)} ${call.arguments}`));
  return lines.join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
