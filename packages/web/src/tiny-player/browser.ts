/**
 * The script of a worker in which a tiny model plays. The model's file is data from a package; all code is this project's.
 */
import type { Message } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { chatModel, readCheckpoint, TinyModel } from "@envs/tiny-model";

/** A request to load a model, or to reply. */
export type TinyPlayerRequest =
  | { readonly load: Uint8Array; readonly name: string }
  | { readonly id: number; readonly messages: readonly Message[]; readonly seed: number };

/** The longest reply, in tokens. */
const maxTokens = 256;

type Reply = ReturnType<typeof chatModel>;
let model: Promise<Reply> | undefined;

async function load(bytes: Uint8Array, name: string): Promise<Reply> {
  const started = await TinyModel.start(name, readCheckpoint(bytes, name), { slots: 4 });
  return chatModel(started, { maxTokens });
}

async function answer(request: TinyPlayerRequest): Promise<unknown> {
  if ("load" in request) {
    model = load(request.load, request.name);
    await model;
    return { isLoaded: true };
  }
  const { id, messages, seed } = request;
  if (model === undefined) throw new Error("Load a model first.");
  const reply = await (
    await model
  )({
    messages,
    sampling: { temperature: 0 },
    seed,
    signal: new AbortController().signal,
  });
  return { id, message: reply.message };
}

addEventListener("message", ({ data }: MessageEvent<TinyPlayerRequest>) => {
  const id = "id" in data ? data.id : undefined;
  answer(data).then(postMessage, (error: unknown) =>
    postMessage({ id, problem: messageOf(error) }),
  );
});
