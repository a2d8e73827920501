import type { Message } from "@envs/core";

/** What a model is shown at the start: the system prompt, and the rest as one text. */
export interface Opening {
  readonly systemPrompt: string | undefined;
  readonly text: string;
}

/** The prompt of an episode for protocols that know no messages. */
export function openingText(messages: readonly Message[]): Opening {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return { systemPrompt: undefined, text: textOf(messages) };
  return { systemPrompt: first.content, text: textOf(rest) };
}

/** Messages as one text. Who speaks is told only where the model itself is among them, as in examples of good answers. */
export function textOf(messages: readonly Message[]): string {
  const isMixed = messages.some(({ role }) => role === "assistant");
  return messages
    .map(({ role, content }) => (isMixed ? `${role}: ${content}` : content))
    .join("\n\n");
}
