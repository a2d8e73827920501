/**
 * The process that samples a published tiny model, apart from the hub: a large model takes its memory and its time, which the parent
 * limits. It reads one line of JSON with the checkpoint in base64, then one request per line.
 */
import { createInterface } from "node:readline";

import type { AssistantMessage, Message, Model, Sampling } from "@envs/core";
import { isRolloutError } from "@envs/core/engine";
import { chatModel, readCheckpoint, TinyModel } from "@envs/tiny-model";

import type { WorkerLine, WorkerStart } from "./protocol.ts";

/** What the model is asked. `session` names the conversation, whose turns share it. */
export interface TinyRequest {
  readonly messages: readonly Message[];
  readonly sampling?: Sampling | undefined;
  readonly seed?: number | undefined;
  readonly session: string;
}

let model: Model | undefined;
/** The replies of each conversation. The model knows the tokens of these objects, and continues them. */
const sessions = new Map<string, AssistantMessage[]>();
const { signal } = new AbortController();

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const response = await respond(line);
  process.stdout.write(`${JSON.stringify(response)}\n`);
}

async function respond(line: string): Promise<WorkerLine> {
  try {
    if (model === undefined) {
      const { code } = JSON.parse(line) as WorkerStart;
      const checkpoint = readCheckpoint(Buffer.from(code, "base64"), "The published model");
      model = chatModel(await TinyModel.start("tiny", checkpoint, { slots: 4 }));
      return { response: "" };
    }
    const { messages, session, ...request } = JSON.parse(JSON.parse(line) as string) as TinyRequest;
    const replies = sessions.get(session) ?? [];
    sessions.set(session, replies);
    const own = replies.values();
    const known = messages.map((message) =>
      message.role === "assistant" ? (own.next().value ?? message) : message,
    );
    const { message, finish, usage } = await model({ messages: known, ...request, signal });
    replies.push(message);
    return { response: JSON.stringify({ message, finish, usage }) };
  } catch (error) {
    if (isRolloutError(error) && error.isOverflow)
      return { response: JSON.stringify({ isOverflow: true, problem: error.message }) };
    return { problem: (error as Error).message.slice(0, 1000) };
  }
}
