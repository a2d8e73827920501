import { ConfigError } from "../errors.ts";
import { assistantMessages } from "../message.ts";
import type { Model } from "../model.ts";
import { type Answer, asResponse, type Reply } from "./reply.ts";

/** One line of a script: what to say, an error to throw, or a function of the request. */
export type ScriptedReply = Reply | Error | Answer;

/**
 * A model that follows a script: a conversation's n-th turn gets the n-th reply, and the last one from then on. It
 * keeps nothing between calls, so any number of rollouts may share it.
 */
export function scriptedModel(...replies: readonly ScriptedReply[]): Model {
  if (replies.length === 0) throw new ConfigError("A scripted model needs at least one reply.");
  const play: Model = async (request) => {
    request.signal.throwIfAborted();
    const turn = assistantMessages(request.messages).length;
    const reply = replies[Math.min(turn, replies.length - 1)]!;
    if (reply instanceof Error) throw reply;
    return asResponse(typeof reply === "function" ? await reply(request) : reply);
  };
  return Object.assign(play, { id: "scripted" });
}
