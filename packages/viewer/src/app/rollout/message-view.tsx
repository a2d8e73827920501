import type { MessagePart, ViewedMessage, ViewedTurn } from "../../record/rollout.ts";
import { LongText } from "./long-text.tsx";
import { Markdown } from "./markdown.tsx";
import { MediaView } from "./media-view.tsx";
import { TokenText } from "./token-text.tsx";
import { ToolCallView } from "./tool-call-view.tsx";
import { turnFacts } from "./turn-line.tsx";

interface MessageViewProps {
  readonly run: string;
  readonly message: ViewedMessage;
  readonly turn: ViewedTurn | undefined;
  readonly isMarkdown: boolean;
  readonly hasThoughts: boolean;
  readonly query: string;
  /** Puts the message into the address. */
  readonly onLink: () => void;
}

const knownRoles = new Set(["system", "user", "assistant", "tool"]);

export function MessageView(props: MessageViewProps) {
  const { message, turn, onLink } = props;
  const role = knownRoles.has(message.role) ? message.role : "other";
  const isEmpty = message.parts.length === 0 && message.toolCalls.length === 0;
  return (
    <section className={`message message-${role}${message.isError ? " message-error" : ""}`}>
      <header>
        <button type="button" className="link role" title="Link to this message" onClick={onLink}>
          {message.role}
        </button>
        {message.name !== undefined && <code className="message-name">{message.name}</code>}
        {message.turn !== undefined && (
          <span className="quiet">
            turn {message.turn + 1}
            {turn !== undefined && turnFacts(turn) !== "" && ` · ${turnFacts(turn)}`}
          </span>
        )}
      </header>
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} {...props} />
      ))}
      {message.toolCalls.map((call) => (
        <ToolCallView key={call.id} call={call} query={props.query} />
      ))}
      {isEmpty && <p className="quiet">(empty)</p>}
      {turn !== undefined && turn.tokens.length > 0 && (
        <TokenText tokens={turn.tokens} run={props.run} />
      )}
    </section>
  );
}

function PartView({
  run,
  part,
  isMarkdown,
  hasThoughts,
  query,
}: MessageViewProps & { readonly part: MessagePart }) {
  switch (part.type) {
    case "text":
      return isMarkdown ? (
        <Markdown text={part.text} />
      ) : (
        <LongText text={part.text} query={query} />
      );
    case "thinking": {
      const isMatch = query !== "" && part.text.toLowerCase().includes(query.toLowerCase());
      return (
        <details className="thinking" open={hasThoughts || isMatch}>
          <summary>
            thinking <span className="quiet">{part.text.trim().slice(0, 80)}</span>
          </summary>
          <LongText text={part.text} query={query} />
        </details>
      );
    }
    case "image":
    case "audio":
    case "file":
      return <MediaView run={run} part={part} />;
  }
}
