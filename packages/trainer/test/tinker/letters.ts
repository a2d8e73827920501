import { assistant, defineEnvironment, user } from "@envs/core";
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

/** A model that has learned nothing, always the same. */
export function startTiny(): Promise<TinyModel> {
  return TinyModel.start("tiny", untrained(shape, tokenizer, 5));
}

/** The smallest environment from which something can be learned. */
export const sayLetter = defineEnvironment({
  name: "say-letter",
  description: "Say the letter that is asked for.",
  dataset: () => letters.map((letter) => ({ prompt: `say ${letter}`, answer: letter })),
  rubric: { said: ({ reply, example }) => Number(reply.includes(example.answer)) },
});

/** Conversations in which the letter is said. */
export const lessons = letters.map((letter) => [user(`say ${letter}`), assistant(letter)]);

/** Asks for each letter once. */
export function askForLetters({ renderer }: Backend, temperature = 1): SampleRequest[] {
  return letters.map((letter, index) => ({
    promptIds: renderer.prompt([user(`say ${letter}`)]),
    maxTokens: 6,
    temperature,
    topP: 1,
    seed: 7 + index,
  }));
}

/** Data as reinforcement learning makes them, with tokens that the model itself sampled. */
export async function sampledData(backend: Backend): Promise<Datum[]> {
  const requests = askForLetters(backend);
  const completions = await backend.sample(requests);
  return completions.map(({ ids, logprobs }, index) => {
    const given = requests[index]!.promptIds;
    const sequence = {
      ids: [...given, ...ids],
      turns: [...given.map(() => -1), ...ids.map(() => 0)],
      logprobs: [...given.map(() => 0), ...logprobs],
    };
    return datumOf(sequence, [index - 0.7], 1 / (index + 2));
  });
}
