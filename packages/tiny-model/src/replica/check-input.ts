import { ConfigError } from "@envs/core";

import type { Shape } from "../engine/shape.ts";
import type { SampleRequest } from "../sampling/sampler.ts";
import type { TargetSequence } from "./target-sequence.ts";

/** Throws a `ConfigError` for invalid sequences: the kernels do not check bounds. */
export function checkSequences(
  sequences: readonly TargetSequence[],
  { vocabulary, context }: Pick<Shape, "vocabulary" | "context">,
): void {
  for (const [index, { inputs, targets, weights, temperature = 1 }] of sequences.entries()) {
    const reject = (problem: string): never => {
      throw new ConfigError(`Sequence ${index + 1} of ${sequences.length} ${problem}`);
    };
    if (inputs.length === 0) reject("is empty. Leave it out.");
    if (inputs.length > context)
      reject(
        `has ${inputs.length} tokens, more than the model's context of ${context}. Leave it out, or train a model with a longer context.`,
      );
    if (targets.length !== inputs.length || weights.length !== inputs.length)
      reject(
        `has ${inputs.length} inputs, ${targets.length} targets and ${weights.length} weights. The three must have the same length.`,
      );
    if (!(temperature > 0 && temperature < Infinity))
      reject(
        `has the temperature ${temperature}. It must be above 0: at 0, log-probabilities have no gradient.`,
      );
    for (const [position, id] of inputs.entries()) {
      if (!isToken(id, vocabulary)) reject(unknownToken(id, vocabulary));
      const target = targets[position]!;
      if (weights[position] !== 0 && !isToken(target, vocabulary))
        reject(unknownToken(target, vocabulary));
    }
  }
}

/** Throws a `ConfigError` for invalid requests. */
export function checkRequests(
  requests: readonly SampleRequest[],
  { vocabulary, context }: Pick<Shape, "vocabulary" | "context">,
): void {
  for (const { promptIds, maxTokens, temperature, topP, session = 0 } of requests) {
    const reject = (problem: string): never => {
      throw new ConfigError(`A sample request has ${problem}`);
    };
    if (promptIds.length === 0) reject("an empty prompt. Pass at least one token.");
    if (promptIds.length >= context)
      reject(
        `a prompt of ${promptIds.length} tokens, but the model's context is ${context} tokens, reply included. Shorten the prompt.`,
      );
    const unknown = promptIds.find((id) => !isToken(id, vocabulary));
    if (unknown !== undefined) reject(`a prompt that ${unknownToken(unknown, vocabulary)}`);
    if (!(Number.isInteger(maxTokens) && maxTokens >= 1))
      reject(`maxTokens ${maxTokens}. It must be an integer of at least 1.`);
    if (!(temperature >= 0 && temperature < Infinity))
      reject(`temperature ${temperature}. It must be at least 0.`);
    if (!(topP > 0 && topP <= 1)) reject(`topP ${topP}. It must be above 0 and at most 1.`);
    if (!(Number.isInteger(session) && session >= 0))
      reject(`session ${session}. It must be an integer of at least 0.`);
  }
}

function isToken(id: number, vocabulary: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < vocabulary;
}

function unknownToken(id: number, vocabulary: number): string {
  return `contains the token ${id}, but the model's tokens are 0 to ${vocabulary - 1}. Encode texts with the model's own tokenizer.`;
}
