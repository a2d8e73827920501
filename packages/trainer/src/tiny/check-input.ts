import { ConfigError } from "@envs/core";

import type { Datum, SampleRequest } from "../backend.ts";
import type { Shape } from "../engine/shape.ts";

/** Refuses sequences that a model of this shape cannot read: it would read and write beside its memory. */
export function checkData(data: readonly Datum[], { vocabulary, context }: Shape): void {
  for (const [index, { inputs, targets, weights, temperature = 1 }] of data.entries()) {
    const refuse = (what: string): never => {
      throw new ConfigError(`Sequence ${index + 1} of ${data.length} ${what}`);
    };
    if (inputs.length === 0) refuse("has no tokens. Leave it out.");
    if (inputs.length > context)
      refuse(
        `has ${inputs.length} tokens, and the model reads ${context} at most. Leave it out, or train a model with a longer context.`,
      );
    if (targets.length !== inputs.length || weights.length !== inputs.length)
      refuse(
        `has ${inputs.length} inputs, ${targets.length} targets and ${weights.length} weights. Give as many of each.`,
      );
    if (!(temperature > 0 && temperature < Infinity))
      refuse(
        `has the temperature ${temperature}. There is something to learn only where it was sampled above 0.`,
      );
    for (const [place, id] of inputs.entries()) {
      if (!isToken(id, vocabulary)) refuse(strangeToken(id, vocabulary));
      const target = targets[place]!;
      if (weights[place] !== 0 && !isToken(target, vocabulary))
        refuse(strangeToken(target, vocabulary));
    }
  }
}

/** Refuses texts that a model of this shape cannot continue. */
export function checkRequests(
  requests: readonly SampleRequest[],
  { vocabulary, context }: Shape,
): void {
  for (const { promptIds, maxTokens, temperature, topP, session = 0 } of requests) {
    const refuse = (what: string): never => {
      throw new ConfigError(`A text that should be continued ${what}`);
    };
    if (promptIds.length === 0) refuse("is empty. Begin it with at least one token.");
    if (promptIds.length >= context)
      refuse(
        `has ${promptIds.length} tokens, and the model reads ${context} at most, its reply included. Shorten it.`,
      );
    const stranger = promptIds.find((id) => !isToken(id, vocabulary));
    if (stranger !== undefined) refuse(strangeToken(stranger, vocabulary));
    if (!(Number.isInteger(maxTokens) && maxTokens >= 1))
      refuse(`has maxTokens ${maxTokens}. Ask for a whole number of tokens, at least 1.`);
    if (!(temperature >= 0 && temperature < Infinity))
      refuse(`has the temperature ${temperature}. Take 0 or more.`);
    if (!(topP > 0 && topP <= 1)) refuse(`has topP ${topP}. Take a share above 0, up to 1.`);
    if (!(Number.isInteger(session) && session >= 0))
      refuse(`has the session ${session}. Number conversations by whole numbers from 0.`);
  }
}

function isToken(id: number, vocabulary: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < vocabulary;
}

function strangeToken(id: number, vocabulary: number): string {
  return `has the token ${id}, and the model knows the tokens from 0 to ${vocabulary - 1}. Encode texts with the model's own tokenizer.`;
}
