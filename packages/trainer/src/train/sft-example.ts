import type { Message } from "@envs/core";
import type { Renderer } from "@envs/tiny-model";

import type { Datum } from "../backend.ts";

/** A tokenized conversation. Target t follows input t. */
export interface SftExample {
  readonly inputs: Int32Array;
  readonly targets: Int32Array;
  /** Whether each target belongs to a reply of the model. */
  readonly isTrained: readonly boolean[];
  /** Number of trained targets. */
  readonly trainedTokens: number;
}

/** Tokenizes a conversation up to its last reply. */
export function sftExample(messages: readonly Message[], renderer: Renderer): SftExample {
  const ids: number[] = [];
  const isReply: boolean[] = [];
  let pending: Message[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") {
      pending.push(message);
      continue;
    }
    const prompt = ids.length === 0 ? renderer.prompt(pending) : renderer.bridge(pending, true);
    const reply = renderer.reply(message);
    ids.push(...prompt, ...reply);
    isReply.push(...prompt.map(() => false), ...reply.map(() => true));
    pending = [];
  }
  const isTrained = isReply.slice(1);
  return {
    inputs: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    isTrained,
    trainedTokens: isTrained.filter(Boolean).length,
  };
}

/** A batch in which all trained tokens have equal weights, with the sum 1. */
export function sftBatch(examples: readonly SftExample[]): Datum[] {
  const total = examples.reduce((sum, { trainedTokens }) => sum + trainedTokens, 0);
  return examples.map(({ inputs, targets, isTrained }) => ({
    inputs,
    targets,
    weights: Float32Array.from(isTrained, (trained) => (trained ? 1 / total : 0)),
  }));
}
