import { join } from "node:path";

import { assistantMessage, type Model, RolloutError } from "@envs/core";
import { jsonLines } from "@envs/records/node";
import * as z from "zod";

/** The recorded calls. */
export const repliesFile: string = join(import.meta.dirname, "../replies.jsonl");

/** One call of a model that was recorded. */
export const recordedCall = z.object({
  /** The request that the model received. */
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  reply: z.string(),
  finish: z.enum(["stop", "length"]),
  inputTokens: z.int(),
  outputTokens: z.int(),
});

export type RecordedCall = z.output<typeof recordedCall>;

/** A model that repeats its recorded answers; a repeated conversation gets the recorded answers in turn. */
export async function replayModel(id: string): Promise<Model> {
  const calls = new Map<string, RecordedCall[]>();
  for await (const line of jsonLines(repliesFile, recordedCall))
    calls.set(keyOf(line.messages), [...(calls.get(keyOf(line.messages)) ?? []), line]);
  const model: Model = async ({ messages }) => {
    const recorded = calls.get(keyOf(messages));
    const call = recorded?.shift();
    if (call === undefined)
      throw new RolloutError("model", `${id} was not recorded with this conversation.`);
    recorded?.push(call);
    const { reply, finish, inputTokens, outputTokens } = call;
    return { message: assistantMessage(reply), finish, usage: { inputTokens, outputTokens } };
  };
  return Object.assign(model, { id });
}

/** Identifies a conversation. */
function keyOf(messages: readonly { readonly role: string; readonly content: unknown }[]): string {
  return JSON.stringify(messages.map(({ role, content }) => [role, content]));
}
