import { availableParallelism } from "node:os";
import { basename } from "node:path";

import {
  type Model,
  type ModelRequest,
  type ModelResponse,
  RolloutError,
  type Sampling,
} from "@envs/core";
import { checkTextOnly, mergeSampling, onAbort, requireText } from "@envs/core/engine";
import type { LlamaModel as Weights, Token } from "node-llama-cpp";

import { chatTemplate, type ChatTemplate } from "./chat-template.ts";
import { type Generation, generate } from "./generate.ts";
import { load } from "./load.ts";
import { sequencePool } from "./sequence-pool.ts";
import { readToolCalls } from "./tool-calls.ts";

export interface LlamaOptions {
  /** The number of conversations that are generated concurrently, in one batch. Further requests wait. Default 4. */
  readonly sequences?: number | undefined;
  /** The maximum length of a conversation in tokens. Default: the model's training context, at most 8192, if memory suffices. */
  readonly contextSize?: number | undefined;
  /**
   * The number of compute threads. Default: the number of cores minus one. Threads synchronize many times per token, so one
   * thread on a busy core slows down all. With one thread, the same seed always gives the same text; with more, the text after
   * the conversation's 512th token may depend on concurrent requests.
   */
  readonly threads?: number | undefined;
  /** Defaults for the run's sampling. Without either: temperature 1 and 1024 tokens per turn. */
  readonly sampling?: Sampling | undefined;
  /** A LoRA adapter of the model, as a GGUF file: `convert_lora_to_gguf.py` of llama.cpp converts one from PEFT's format. */
  readonly adapter?: string | undefined;
  /** Whether to use a GPU if one exists and its binary is installed. Default true. */
  readonly gpu?: boolean | undefined;
}

/** A language model from a GGUF file, in this process. */
export interface LlamaModel extends Model, AsyncDisposable {
  /** The file's name, with that of the adapter: `model+adapter`. */
  readonly id: string;
  /** The maximum length of a conversation in tokens. */
  readonly contextSize: number;
  /** Aborts running requests and frees the memory. */
  readonly close: () => Promise<void>;
}

/** Loads a GGUF file as a model. */
export async function llama(path: string, options: LlamaOptions = {}): Promise<LlamaModel> {
  const { sequences = 4, gpu = true, contextSize: maxContext, adapter } = options;
  const { threads = Math.max(1, availableParallelism() - 1) } = options;
  const loaded = await load(path, { sequences, gpu, threads, contextSize: maxContext, adapter });
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
      (candidate) => candidate.compareContextTokens(prompt).firstDifferentIndex,
    );
    const sampling = mergeSampling(options.sampling, request.sampling);
    const work = generate(sequence, prompt, { sampling, signal, seed: request.seed }).finally(
      () => {
        running.delete(work);
        pool.release(sequence);
      },
    );
    running.add(work);
    return responseOf(await rejectOnAbort(work, signal), request);
  };

  const close = async (): Promise<void> => {
    closing.abort(new RolloutError("model", "The model was closed."));
    await Promise.allSettled(running);
    await loaded.unload();
  };
  return Object.assign(ask, {
    id: [path, ...(adapter === undefined ? [] : [adapter])]
      .map((file) => basename(file, ".gguf"))
      .join("+"),
    check: checkTextOnly(basename(path)),
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
  for (const { content } of messages) requireText(content, "llama.cpp");
  const prompt = tokenizer(template(messages, tools), true);
  const { bos, shouldPrependBosToken } = tokens;
  return shouldPrependBosToken && bos !== null && prompt[0] !== bos ? [bos, ...prompt] : prompt;
}

function responseOf(
  { text, finish, tokens }: Generation,
  { messages, tools }: ModelRequest,
): ModelResponse {
  const earlierCalls = messages.flatMap(
    (message) => (message.role === "assistant" && message.tool_calls) || [],
  );
  const message =
    tools === undefined
      ? ({ role: "assistant", content: text } as const)
      : readToolCalls(text, earlierCalls.length);
  return {
    message,
    finish: finish === "stop" && "tool_calls" in message ? "tool_calls" : finish,
    usage: { inputTokens: tokens.promptIds.length, outputTokens: tokens.completionIds.length },
    tokens,
  };
}

/** Rejects as soon as `signal` is aborted, because `work` ends only after its current batch. */
function rejectOnAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal.reason as Error));
    void work.then(resolve, reject).finally(unsubscribe);
  });
}
