import { randomInt } from "node:crypto";

import type { Sampling } from "@envs/core";
import type { TokenTrace } from "@envs/core/engine";
import type { LlamaContextSequence, LlamaModel as Weights, Token } from "node-llama-cpp";

/**
 * Prompts are read in pieces of this many tokens, so that an abort need not wait for a long one. On a processor, 64 and
 * more would take another way through the attention code, with results that differ in the last digits: then a reply
 * would depend on how much of its prompt was read before.
 */
const pieceSize = { cpu: 32, gpu: 512 };

/** The largest seed that llama.cpp takes is the one that means "any". */
const seedCount = 2 ** 32 - 1;

/** What a model wrote. */
export interface Generation {
  readonly text: string;
  readonly finish: "stop" | "length";
  readonly tokens: TokenTrace;
}

export interface GenerateOptions {
  readonly sampling: Sampling;
  /** Default: any. */
  readonly seed: number | undefined;
  readonly signal: AbortSignal;
}

/** Continues a prompt until the end of the turn, a stop text, or a limit. */
export async function generate(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  { sampling, seed = randomInt(seedCount), signal }: GenerateOptions,
): Promise<Generation> {
  const { model } = sequence;
  const { temperature = 1, topP = 1, maxTokens = 1024, stop = [] } = sampling;
  const room = Math.min(maxTokens, sequence.contextSize - 1 - prompt.length);
  const last = await readPrompt(sequence, prompt, signal);
  const completionIds: Token[] = [];
  const completionLogprobs: number[] = [];
  const outcome = (finish: Generation["finish"]): Generation => {
    const text = model.detokenize(completionIds, false, prompt.slice(-8));
    const tokens = { promptIds: prompt, completionIds, completionLogprobs };
    return { text: cutAt(text, stop), finish, tokens };
  };
  const isStopped = stopDetector(model, stop);

  const writing = sequence.evaluateWithMetadata(
    last,
    { confidence: true },
    { temperature, topP, topK: 0, minP: 0, seed: usableSeed(seed), yieldEogToken: true },
  );
  for await (const { token, confidence } of writing) {
    signal.throwIfAborted();
    completionIds.push(token);
    completionLogprobs.push(Math.log(Math.max(confidence, 1e-45)));
    if (model.isEogToken(token) || isStopped(completionIds)) return outcome("stop");
    if (completionIds.length >= room) return outcome("length");
  }
  return outcome("stop");
}

/** Reads all of a prompt but its last piece, which it returns. What the sequence has read before is not read again. */
async function readPrompt(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  signal: AbortSignal,
): Promise<Token[]> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
  const size = sequence.model.llama.gpu === false ? pieceSize.cpu : pieceSize.gpu;
  let position = sequence.nextTokenIndex;
  while (prompt.length - position > size) {
    signal.throwIfAborted();
    const piece = prompt.slice(position, position + size);
    await sequence.evaluateWithoutGeneratingNewTokens(piece);
    position += size;
  }
  signal.throwIfAborted();
  return prompt.slice(position);
}

function usableSeed(seed: number): number {
  const remainder = Math.floor(seed) % seedCount;
  return remainder < 0 ? remainder + seedCount : remainder;
}

/** Looks for the stop texts in the last tokens only: a token is at least one byte, so these are enough. */
function stopDetector(
  model: Weights,
  stop: readonly string[],
): (tokens: readonly Token[]) => boolean {
  if (stop.length === 0) return () => false;
  const longest = Math.max(...stop.map((text) => Buffer.byteLength(text)));
  return (tokens) => {
    const end = model.detokenize(tokens.slice(-longest - 8));
    return stop.some((text) => end.includes(text));
  };
}

/** The text before the first of the stop texts. */
export function cutAt(text: string, stop: readonly string[]): string {
  const ends = stop.map((each) => text.indexOf(each)).filter((index) => index !== -1);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
