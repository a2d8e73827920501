import type { AssistantMessage, Message } from "@envs/core";

/** Turns a conversation into tokens, and tokens into the model's reply. */
export interface Renderer {
  /** Ends a completion. */
  readonly stopIds: readonly number[];
  /** A conversation from its first message, up to the place where the model speaks. */
  prompt(messages: readonly Message[]): number[];
  /**
   * What follows a reply of the model: the end of it (unless `isClosed`: the reply was sampled with its stop token), the
   * new messages, and the place where the model speaks next. Lets sampled tokens stay as they were sampled.
   */
  bridge(messages: readonly Message[], isClosed: boolean): number[];
  /** A reply of the model as tokens, with the stop token: what it would have to sample. */
  reply(message: AssistantMessage): number[];
  /** The text of sampled tokens, without the stop token. */
  text(ids: readonly number[]): string;
}
