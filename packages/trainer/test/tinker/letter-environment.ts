// prose-ignore-file: “say” is part of the prompt that the model learns.
import { assistantMessage, defineEnvironment, userMessage } from "@envs/core";
import { type SampleRequest, TinyModel, trainTokenizer, untrained } from "@envs/tiny-model";

import { type Backend, type Datum, datumOf } from "../../src/index.ts";

const letters = ["a", "b", "c"];
const texts = letters.flatMap((letter) => [`say ${letter}`, letter]);
const tokenizer = trainTokenizer(texts, { vocabularySize: 32 });
const shape = {
  vocabulary: tokenizer.vocabularySize,
  width: 16,
  layers: 1,
  heads: 2,
  hidden: 32,
  context: 64,
};

/** Starts an untrained model with the same weights each time. */
export function startTinyModel(): Promise<TinyModel> {
  return TinyModel.start("tiny", untrained(shape, tokenizer, 5));
}

/** A minimal environment that a model can learn. */
export const sayLetter = defineEnvironment({
  name: "say-letter",
  description: "Answer with the requested letter.",
  dataset: () => letters.map((letter) => ({ prompt: `say ${letter}`, answer: letter })),
  rubric: { said: ({ reply, example }) => Number(reply.includes(example.answer)) },
});

/** Conversations with correct replies. */
export const letterChats = letters.map((letter) => [
  userMessage(`say ${letter}`),
  assistantMessage(letter),
]);

/** One sample request per letter. */
export function letterRequests({ renderer }: Backend, temperature = 1): SampleRequest[] {
  return letters.map((letter, index) => ({
    promptIds: renderer.prompt([userMessage(`say ${letter}`)]),
    maxTokens: 6,
    temperature,
    topP: 1,
    seed: 7 + index,
  }));
}

/** Data for a policy loss: tokens that the model sampled, with advantages. */
export async function sampledData(backend: Backend): Promise<Datum[]> {
  const requests = letterRequests(backend);
  const completions = await backend.sample(requests);
  return completions.map(({ ids, logprobs }, index) => {
    const { promptIds } = requests[index]!;
    const sequence = {
      ids: [...promptIds, ...ids],
      turns: [...promptIds.map(() => -1), ...ids.map(() => 0)],
      logprobs: [...promptIds.map(() => 0), ...logprobs],
    };
    return datumOf(sequence, [index - 0.7], 1 / (index + 2));
  });
}
