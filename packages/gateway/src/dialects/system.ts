import { type Message, textOf } from "@envs/core";

/** A conversation with a separate system prompt, as in most dialects. */
interface SplitConversation {
  readonly system: string | undefined;
  readonly rest: readonly Message[];
}

/** Splits the system prompt off a conversation: its first messages of this role. */
export function splitSystem(messages: readonly Message[]): SplitConversation {
  const end = messages.findIndex(({ role }) => role !== "system");
  const length = end === -1 ? messages.length : end;
  const system = messages.slice(0, length).map(({ content }) => textOf(content));
  return {
    system: system.length === 0 ? undefined : system.join("\n\n"),
    rest: messages.slice(length),
  };
}
