import type { ViewedMessage } from "../../record/rollout.ts";
import { LongText } from "./long-text.tsx";

interface MessageTextsProps {
  readonly messages: readonly ViewedMessage[];
  readonly query: string;
}

/** The messages of a conversation beside the main one, as text. */
export function MessageTexts({ messages, query }: MessageTextsProps) {
  return messages.map((message, index) => (
    <section key={index} className={`message message-${message.role}`}>
      <header>
        <span className="role">{message.role}</span>
      </header>
      <LongText text={textOf(message)} query={query} />
    </section>
  ));
}

export function textOf(message: ViewedMessage | undefined): string {
  const texts = message?.parts.map((part) => ("text" in part ? part.text : `[${part.type}]`)) ?? [];
  const calls = message?.toolCalls.map((call) => `${call.name}(${call.arguments})`) ?? [];
  return [...texts, ...calls].join("\n");
}
