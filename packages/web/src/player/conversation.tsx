import type { AssistantMessage, Message } from "@envs/core";
import { describeContent } from "@envs/core/engine";
import type { ReactNode } from "react";

import type { Entry } from "./game-state.ts";
import { replyParts } from "./reply-parts.ts";

/** The messages that the model sees, as they arrive. */
export function Conversation({ entries }: { readonly entries: readonly Entry[] }): ReactNode {
  return (
    <ol className="talk" aria-label="Conversation" aria-live="polite" aria-relevant="additions">
      {entries.map((entry, index) => (
        <li key={index} className={`talk-${entry.message.role}`}>
          <ConversationEntry {...entry} />
        </li>
      ))}
    </ol>
  );
}

function ConversationEntry({ message, author, isInvalid = false }: Entry): ReactNode {
  if (message.role === "system")
    return (
      <details>
        <summary>Instructions to the model</summary>
        <pre>{message.content}</pre>
      </details>
    );
  return (
    <>
      <p className="talk-author">
        {titleOf(message, author)}
        {isInvalid && <span className="talk-rejected">rejected</span>}
      </p>
      {message.role === "assistant" ? (
        <Reply message={message} />
      ) : (
        <pre>{describeContent(message.content)}</pre>
      )}
    </>
  );
}

/** A reply of the model's side: its thoughts apart from its text and tool calls. */
export function Reply({ message }: { readonly message: AssistantMessage }): ReactNode {
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
  const parts = replyParts(content);
  return (
    <>
      {reasoning !== undefined && <pre className="talk-thought">{reasoning}</pre>}
      {parts === undefined
        ? content !== "" && <pre>{content}</pre>
        : parts.map(({ name, text }, index) => (
            <p key={index} className={index < parts.length - 1 ? "talk-thought" : "talk-deed"}>
              <span className="talk-tag">{name}</span> {text === "" ? "…" : text}
            </p>
          ))}
      {calls.map(({ id, function: called }) => (
        <p key={id} className="talk-deed">
          <span className="talk-tag">{called.name}</span> <code>{called.arguments}</code>
        </p>
      ))}
    </>
  );
}

function titleOf({ role }: Message, author: string | undefined): string {
  if (author === "you") return "You";
  if (author !== undefined) return author;
  return {
    system: "Instructions",
    user: "Environment",
    assistant: "Example of a reply",
    tool: "Result of the tool",
  }[role];
}
