import {
  type AssistantMessage,
  assistant,
  type Message,
  type Model,
  type ModelRequest,
  type ModelResponse,
  RolloutError,
} from "@envs/core";

import type { Backend, Completion, SampleRequest } from "./backend.ts";
import type { Renderer } from "./tokenizer/renderer.ts";

/** What a backend samples with where a request does not say. */
export interface BackendModelOptions {
  readonly temperature?: number;
  readonly topP?: number;
  /** The longest reply, in tokens. Default: what the context has room for. */
  readonly maxTokens?: number;
}

interface Waiting {
  readonly request: SampleRequest;
  readonly signal: AbortSignal;
  readonly resolve: (completion: Completion) => void;
  readonly reject: (error: unknown) => void;
}

/** What was said up to and including a reply of the model, as it was sampled. */
interface History {
  readonly session: number;
  readonly ids: readonly number[];
  readonly isClosed: boolean;
}

/**
 * Lets a backend play: requests that come together are sampled together. Replies stay the tokens that were sampled, turn
 * after turn, so that the tokens of a rollout's turns continue each other.
 */
export function backendModel(backend: Backend, options: BackendModelOptions = {}): Model {
  const { renderer, contextLength } = backend;
  const histories = new WeakMap<AssistantMessage, History>();
  let sessions = 0;
  let unseeded = 0;
  let waiting: Waiting[] = [];
  let isBusy = false;

  /** What asks in the same breath is sampled in the same batch. */
  const breath = (): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, 0);
    });

  const flush = async (): Promise<void> => {
    await breath();
    while (waiting.length > 0) {
      const batch = waiting.filter(({ signal }) => !signal.aborted);
      waiting = [];
      try {
        const completions =
          batch.length === 0 ? [] : await backend.sample(batch.map(({ request }) => request));
        for (const [index, { resolve }] of batch.entries()) resolve(completions[index]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await breath();
    }
    isBusy = false;
  };

  const sample = async (request: SampleRequest, signal: AbortSignal): Promise<Completion> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Completion>();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    waiting.push({ request, signal, resolve, reject });
    if (!isBusy) {
      isBusy = true;
      void flush();
    }
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };

  const promptOf = (messages: readonly Message[]): { ids: number[]; session: number } => {
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    const spoken = messages[last];
    const history = spoken?.role === "assistant" ? histories.get(spoken) : undefined;
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
        `The conversation has ${promptIds.length} tokens, and the model reads ${contextLength} at most.`,
        { isOverflow: true },
      );
    const { temperature, topP, maxTokens, stop = [] } = request.sampling ?? {};
    const asked: SampleRequest = {
      promptIds,
      session,
      maxTokens: Math.min(room, maxTokens ?? options.maxTokens ?? room),
      temperature: temperature ?? options.temperature ?? 1,
      topP: topP ?? options.topP ?? 1,
      // Who gives no seed wants another reply each time.
      seed: request.seed ?? unseeded++,
    };
    const completion = await sample(asked, request.signal);
    const { ids, text, isStopped } = upTo(stop, completion.ids, renderer);
    const message = assistant(text);
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
  return Object.assign(model, { id: backend.id });
}

/**
 * A reply up to the first of the texts that end it: the text without it, the tokens up to the one that completes it, as
 * servers report them.
 */
function upTo(
  stop: readonly string[],
  ids: readonly number[],
  renderer: Renderer,
): { readonly ids: readonly number[]; readonly text: string; readonly isStopped: boolean } {
  const text = renderer.text(ids);
  const places = stop.map((each) => text.indexOf(each)).filter((at) => at >= 0);
  if (places.length === 0) return { ids, text, isStopped: false };
  let count = 1;
  while (!stop.some((each) => renderer.text(ids.slice(0, count)).includes(each))) count += 1;
  return { ids: ids.slice(0, count), text: text.slice(0, Math.min(...places)), isStopped: true };
}
