import {
  type AssistantMessage,
  assistantMessage,
  type Message,
  type Model,
  type ModelRequest,
  type ModelResponse,
  RolloutError,
} from "@envs/core";
import { checkTextOnly } from "@envs/core/engine";

import type { Renderer } from "../tokenizer/chat-renderer.ts";
import { inBatches } from "./batches.ts";
import type { Sampler, SampleRequest } from "./sampler.ts";

/** Defaults for requests that leave the setting out. */
export interface ChatModelOptions {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Maximum length of a reply, in tokens. Default: the remaining context. */
  readonly maxTokens?: number | undefined;
}

/** The tokens of a conversation up to and including a reply, as they were sampled. */
interface History {
  readonly session: number;
  readonly ids: readonly number[];
  /** The reply ended with the stop token. */
  readonly isClosed: boolean;
}

/**
 * A sampler as a {@link Model}. Concurrent requests are sampled in one batch. Replies are not tokenized again in later
 * turns, so that the tokens of a turn continue the tokens of the turns before it.
 */
export function chatModel(sampler: Sampler, options: ChatModelOptions = {}): Model {
  const { renderer, contextLength } = sampler;
  const sample = inBatches(sampler);
  const histories = new WeakMap<AssistantMessage, History>();
  let sessions = 0;
  let defaultSeed = 0;

  const promptOf = (messages: readonly Message[]): { ids: number[]; session: number } => {
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    const reply = messages[last];
    const history = reply?.role === "assistant" ? histories.get(reply) : undefined;
    if (history === undefined) return { ids: renderer.prompt(messages), session: sessions++ };
    const { session, ids, isClosed } = history;
    return { ids: [...ids, ...renderer.bridge(messages.slice(last + 1), isClosed)], session };
  };

  const model = async (request: ModelRequest): Promise<ModelResponse> => {
    const { ids: promptIds, session } = promptOf(request.messages);
    const room = contextLength - promptIds.length;
    if (room < 1)
      throw new RolloutError(
        "model",
        `The conversation has ${promptIds.length} tokens, but the model's context is ${contextLength} tokens.`,
        { isOverflow: true },
      );
    const { temperature, topP, maxTokens, stop = [] } = request.sampling ?? {};
    const sampleRequest: SampleRequest = {
      promptIds,
      session,
      maxTokens: Math.min(room, maxTokens ?? options.maxTokens ?? room),
      temperature: temperature ?? options.temperature ?? 1,
      topP: topP ?? options.topP ?? 1,
      // Without a seed, each request gets a different reply.
      seed: request.seed ?? defaultSeed++,
    };
    const completion = await sample(sampleRequest, request.signal);
    const { ids, text, isStopped } = cutAtStop(completion.ids, stop, renderer);
    const message = assistantMessage(text);
    const isClosed = !isStopped && completion.finish === "stop";
    histories.set(message, { session, ids: [...promptIds, ...ids], isClosed });
    return {
      message,
      finish: isStopped ? "stop" : completion.finish,
      usage: { inputTokens: promptIds.length, outputTokens: ids.length },
      tokens: {
        promptIds,
        completionIds: ids,
        completionLogprobs: completion.logprobs.slice(0, ids.length),
      },
    };
  };
  const check = checkTextOnly(sampler.id);
  return Object.assign(model, { id: sampler.id, check, settings: { ...options } });
}

/** Ends the text before the first stop text, and the tokens with the token that completes it, as model servers do. */
function cutAtStop(
  ids: readonly number[],
  stop: readonly string[],
  renderer: Renderer,
): { readonly ids: readonly number[]; readonly text: string; readonly isStopped: boolean } {
  const text = renderer.text(ids);
  const places = stop.map((stopText) => text.indexOf(stopText)).filter((place) => place >= 0);
  if (places.length === 0) return { ids, text, isStopped: false };
  let count = 1;
  while (!stop.some((stopText) => renderer.text(ids.slice(0, count)).includes(stopText)))
    count += 1;
  return { ids: ids.slice(0, count), text: text.slice(0, Math.min(...places)), isStopped: true };
}
