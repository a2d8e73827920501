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
  let waiting: Waiting[] = [];
  let isBusy = false;

  const flush = async (): Promise<void> => {
    // What asks in the same breath is sampled in the same batch.
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    while (waiting.length > 0) {
      const batch = waiting.filter(({ signal }) => !signal.aborted);
      waiting = [];
      try {
        const completions = await backend.sample(batch.map(({ request }) => request));
        for (const [index, { resolve }] of batch.entries()) resolve(completions[index]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
    }
    isBusy = false;
  };

  const sample = (request: SampleRequest, signal: AbortSignal): Promise<Completion> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, signal, resolve, reject });
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (isBusy) return;
      isBusy = true;
      void flush();
    });

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
      seed: request.seed ?? 0,
    };
    const completion = await sample(asked, request.signal);
    const text = renderer.text(completion.ids);
    const cut = Math.min(...stop.map((each) => text.indexOf(each)).filter((at) => at >= 0));
    const message = assistant(cut === Infinity ? text : text.slice(0, cut));
    const usage = { inputTokens: promptIds.length, outputTokens: completion.ids.length };
    if (cut !== Infinity) return { message, finish: "stop", usage };
    const isClosed = completion.finish === "stop";
    histories.set(message, { session, ids: [...promptIds, ...completion.ids], isClosed });
    return {
      message,
      finish: completion.finish,
      usage,
      tokens: {
        promptIds,
        completionIds: completion.ids,
        completionLogprobs: completion.logprobs,
      },
    };
  };
  return Object.assign(model, { id: backend.id });
}
