import { availableParallelism } from "node:os";
import { basename } from "node:path";

import {
  type Model,
  type ModelRequest,
  type ModelResponse,
  RolloutError,
  type Sampling,
} from "@envs/core";
import type { LlamaModel as Weights, Token } from "node-llama-cpp";

import { chatTemplate, type ChatTemplate } from "./chat-template.ts";
import { type Generation, generate } from "./generate.ts";
import { load } from "./load.ts";
import { sequencePool } from "./sequence-pool.ts";
import { readToolCalls } from "./tool-calls.ts";

export interface LlamaOptions {
  /** How many conversations are continued at once, in one batch; the others wait. Default 4. */
  readonly sequences?: number;
  /** The longest conversation, in tokens. Default: what the model was trained for and memory holds, 8192 at most. */
  readonly contextSize?: number;
  /**
   * Threads that compute. Default: one less than there are cores. They wait for each other many times a token, so one
   * that has to share its core slows down all. With one thread the same seed always gives the same text; with more, texts
   * after the conversation's 512th token may depend on what else runs.
   */
  readonly threads?: number;
  /** What a run's own sampling is laid over. Without either: temperature 1 and 1024 tokens a turn. */
  readonly sampling?: Sampling;
  /** Use a GPU if there is one and its binary is installed. Default true. */
  readonly gpu?: boolean;
}

/** A language model of a GGUF file, in this process. */
export interface LlamaModel extends Model, AsyncDisposable {
  /** The file's name. */
  readonly id: string;
  /** The longest conversation, in tokens. */
  readonly contextSize: number;
  /** Breaks off what is under way and frees the memory. */
  readonly close: () => Promise<void>;
}

/** Loads a GGUF file as a model. */
export async function llama(path: string, options: LlamaOptions = {}): Promise<LlamaModel> {
  const { sequences = 4, gpu = true } = options;
  const { threads = Math.max(1, availableParallelism() - 1) } = options;
  const loaded = await load(path, { sequences, gpu, threads, contextSize: options.contextSize });
  const { weights, context } = loaded;
  const { contextSize } = context;
  const pool = sequencePool(Array.from({ length: sequences }, () => context.getSequence()));
  const template = templateOf(weights);
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    const signal = AbortSignal.any([request.signal, closing.signal]);
    const prompt = promptOf(weights, template, request);
    if (prompt.length > contextSize - 2) throw overflow(prompt.length, contextSize);
    const sequence = await pool.acquire(
      signal,
      (each) => each.compareContextTokens(prompt).firstDifferentIndex,
    );
    const sampling = { ...options.sampling, ...request.sampling };
    const work = generate(sequence, prompt, { sampling, signal, seed: request.seed }).finally(
      () => {
        running.delete(work);
        pool.release(sequence);
      },
    );
    running.add(work);
    return responseOf(await unlessAborted(work, signal), request);
  };

  const close = async (): Promise<void> => {
    closing.abort(new RolloutError("model", "The model was closed."));
    await Promise.allSettled(running);
    await loaded.unload();
  };
  return Object.assign(ask, {
    id: basename(path, ".gguf"),
    contextSize,
    close,
    [Symbol.asyncDispose]: close,
  });
}

function overflow(tokens: number, contextSize: number): RolloutError {
  return new RolloutError(
    "model",
    `The prompt has ${tokens} tokens, and the context length is ${contextSize}. Shorten the conversation, or load the model with a larger contextSize.`,
    { isOverflow: true },
  );
}

function templateOf({ fileInfo, tokens }: Weights): ChatTemplate {
  return chatTemplate(fileInfo.metadata.tokenizer.chat_template, {
    bos: tokens.bosString ?? "",
    eos: tokens.eosString ?? "",
  });
}

function promptOf(
  { tokens, tokenizer }: Weights,
  template: ChatTemplate,
  { messages, tools }: ModelRequest,
): Token[] {
  const prompt = tokenizer(template(messages, tools), true);
  const { bos, shouldPrependBosToken } = tokens;
  return shouldPrependBosToken && bos !== null && prompt[0] !== bos ? [bos, ...prompt] : prompt;
}

function responseOf(
  { text, finish, tokens }: Generation,
  { messages, tools }: ModelRequest,
): ModelResponse {
  const earlier = messages.flatMap((each) => (each.role === "assistant" && each.tool_calls) || []);
  const message =
    tools === undefined
      ? ({ role: "assistant", content: text } as const)
      : readToolCalls(text, earlier.length);
  return {
    message,
    finish: finish === "stop" && "tool_calls" in message ? "tool_calls" : finish,
    usage: { inputTokens: tokens.promptIds.length, outputTokens: tokens.completionIds.length },
    tokens,
  };
}

/** Stops waiting for work that takes a moment to notice that it was aborted. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
