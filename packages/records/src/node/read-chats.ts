import { dirname } from "node:path";

import { type Chat, chatLine, toChat } from "../chat.ts";
import { isFolder } from "./create-folder.ts";
import { jsonLines } from "./json-lines.ts";
import { MediaReader } from "./media-store.ts";
import { readRun } from "./run-store.ts";

/**
 * Reads the conversations of a chat JSONL file, of a run's `results.jsonl`, or of a run's folder, lazily. Skips failed
 * rollouts. Throws a `ConfigError` with the line's number if a conversation has no assistant message or is invalid.
 */
export async function* readChats(path: string): AsyncGenerator<Chat> {
  if (await isFolder(path)) {
    const { rollouts } = await readRun(path);
    for (const rollout of rollouts)
      if (rollout.status === "scored") yield { messages: toChat(rollout).messages };
    return;
  }
  const media = new MediaReader(dirname(path));
  for await (const chat of jsonLines(path, chatLine))
    if (chat !== undefined) yield { messages: await media.resolveMessages(chat.messages) };
}
