import type { ChatMessage, EnvironmentManifest } from "@envs/hub-client";
import type { ReactNode } from "react";

import { rounded } from "../../evaluation/texts.ts";

type Example = EnvironmentManifest["example"];

const names: Readonly<Record<ChatMessage["role"], string>> = {
  system: "System",
  user: "Environment",
  assistant: "Model",
  tool: "Tool",
};

/** The number of messages that are open at first; a button shows the others. */
const openMessages = 3;

/** The example conversation of the manifest: the first example, played by the best policy. */
export function Conversation({ example }: { readonly example: Example }): ReactNode {
  const { messages, policy, reward } = example;
  const rest = messages.slice(openMessages);
  return (
    <section className="section">
      <h2 id="example">An example</h2>
      <p className="quiet">
        {policy === undefined ? (
          "The prompt of the first example."
        ) : (
          <>
            The first example, played by the policy <code>{policy}</code>
            {reward !== undefined && <>. Its reward is {rounded(reward)}</>}.
          </>
        )}
      </p>
      <ol className="conversation">
        {messages.slice(0, openMessages).map((message, index) => (
          <Message key={index} message={message} />
        ))}
      </ol>
      {rest.length > 0 && (
        <details className="more">
          <summary>
            {rest.length} more {rest.length === 1 ? "message" : "messages"}
          </summary>
          <ol className="conversation" start={openMessages + 1}>
            {rest.map((message, index) => (
              <Message key={index} message={message} />
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function Message({ message }: { readonly message: ChatMessage }): ReactNode {
  const { role, content } = message;
  return (
    <li className={`message ${role}`}>
      <p className="role">{names[role]}</p>
      <div className="content">
        {message.role === "assistant" && message.reasoning_content !== undefined && (
          <details>
            <summary className="quiet">Thinking</summary>
            <pre tabIndex={0}>{message.reasoning_content}</pre>
          </details>
        )}
        {content !== "" && <p className="text">{content}</p>}
        {message.role === "assistant" &&
          message.tool_calls?.map(({ id, function: { name, arguments: input } }) => (
            <p key={id} className="text call">
              <code>
                {name}({input})
              </code>
            </p>
          ))}
      </div>
    </li>
  );
}
