import { type Content, type ContentPart, type Message } from "@envs/core";
import { isMediaPart, mediaKind, mediaParts } from "@envs/core/engine";

/**
 * Moves images, audio and files of tool results into a user message after the results of that turn, and leaves labels such as
 * `[image 1: in the next message]`. Chat-completions servers accept only text in messages of the role `tool`.
 */
export function mediaInUserMessages(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ role, content }) => role === "tool" && mediaParts(content).length > 0))
    return messages;
  const sent: Message[] = [];
  let moved: ContentPart[] = [];
  let count = 0;
  const flush = (): void => {
    if (moved.length > 0) sent.push({ role: "user", content: moved });
    moved = [];
    count = 0;
  };
  const label = (content: Content): string =>
    typeof content === "string"
      ? content
      : content
          .map((part) => {
            if (!isMediaPart(part)) return part.text;
            count += 1;
            const name = `${mediaKind(part)} ${count}`;
            moved.push({ type: "text", text: `[${name}]` }, part);
            return `[${name}: in the next message]`;
          })
          .join("\n");
  for (const message of messages)
    if (message.role === "tool") sent.push({ ...message, content: label(message.content) });
    else {
      flush();
      sent.push(message);
    }
  flush();
  return sent;
}
