import { randomInt } from "node:crypto";

import type { Sampling } from "@envs/core";
import type { TokenTrace } from "@envs/core/engine";
import type { LlamaContextSequence, LlamaModel as Weights, Token } from "node-llama-cpp";

/**
 * The number of prompt tokens that are evaluated at once. An abort waits for one batch at most. On a CPU, batches of 64 and more
 * use another attention kernel, whose results differ in the last digits: a reply would depend on the cached part of its prompt.
 */
const batchSize = { cpu: 32, gpu: 512 };

/** Seeds are below this number. llama.cpp reads the largest 32-bit number as "random". */
const seedCount = 2 ** 32 - 1;

/** The output of the model. */
export interface Generation {
  readonly text: string;
  readonly finish: "stop" | "length";
  readonly tokens: TokenTrace;
}

export interface GenerateOptions {
  readonly sampling: Sampling;
  /** Default: a random seed. */
  readonly seed: number | undefined;
  readonly signal: AbortSignal;
}

/** Generates tokens until the end of the turn, a stop text, or a limit. */
export async function generate(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  { sampling, seed = randomInt(seedCount), signal }: GenerateOptions,
): Promise<Generation> {
  const { model } = sequence;
  const { temperature = 1, topP = 1, maxTokens = 1024, stop = [] } = sampling;
  const tokenLimit = Math.min(maxTokens, sequence.contextSize - 1 - prompt.length);
  const lastBatch = await evaluatePrompt(sequence, prompt, signal);
  const completionIds: Token[] = [];
  const completionLogprobs: number[] = [];
  const outcome = (finish: Generation["finish"]): Generation => {
    const text = model.detokenize(completionIds, false, prompt.slice(-8));
    const tokens = { promptIds: prompt, completionIds, completionLogprobs };
    return { text: truncateAtStop(text, stop), finish, tokens };
  };
  const endsWithStop = stopDetector(model, stop);

  const generated = sequence.evaluateWithMetadata(
    lastBatch,
    { confidence: true },
    { temperature, topP, topK: 0, minP: 0, seed: usableSeed(seed), yieldEogToken: true },
  );
  for await (const { token, confidence } of generated) {
    signal.throwIfAborted();
    completionIds.push(token);
    completionLogprobs.push(Math.log(Math.max(confidence, 1e-45)));
    if (model.isEogToken(token) || endsWithStop(completionIds)) return outcome("stop");
    if (completionIds.length >= tokenLimit) return outcome("length");
  }
  return outcome("stop");
}

/** Evaluates a prompt except for its last batch, which it returns. Reuses the cached prefix of the sequence. */
async function evaluatePrompt(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  signal: AbortSignal,
): Promise<Token[]> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
  const size = sequence.model.llama.gpu === false ? batchSize.cpu : batchSize.gpu;
  let position = sequence.nextTokenIndex;
  while (prompt.length - position > size) {
    signal.throwIfAborted();
    const batch = prompt.slice(position, position + size);
    await sequence.evaluateWithoutGeneratingNewTokens(batch);
    position += size;
  }
  signal.throwIfAborted();
  return prompt.slice(position);
}

function usableSeed(seed: number): number {
  const remainder = Math.floor(seed) % seedCount;
  return remainder < 0 ? remainder + seedCount : remainder;
}

/** Searches the last tokens only. A token has at least one byte, so they contain the longest stop text. */
function stopDetector(
  model: Weights,
  stop: readonly string[],
): (tokens: readonly Token[]) => boolean {
  if (stop.length === 0) return () => false;
  const maxBytes = Math.max(...stop.map((text) => Buffer.byteLength(text)));
  return (tokens) => {
    const end = model.detokenize(tokens.slice(-maxBytes - 8));
    return stop.some((text) => end.includes(text));
  };
}

/** Returns the text before the first stop text. */
export function truncateAtStop(text: string, stop: readonly string[]): string {
  const ends = stop.map((stopText) => text.indexOf(stopText)).filter((index) => index !== -1);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
