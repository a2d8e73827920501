import { defineEnvironment, type EnvironmentFactory, random, xmlParser } from "@envs/core";

const parser = xmlParser("said");
const letters = Array.from("abcdefgh");

/** The input of the score. */
export interface EchoReply {
  /** The model's message. */
  readonly reply: string;
  /** The letter that the message names, parsed. */
  readonly said: string;
  readonly letter: string;
}

/** The model repeats a letter. Tests pass a defective `score`. */
export function echoEnvironment(score: (reply: EchoReply) => number | null): EnvironmentFactory {
  return defineEnvironment({
    name: "echoing",
    systemPrompt: `Repeat the letter, as ${parser.format}.`,
    *dataset({ random: stream }) {
      for (let index = 0; ; index += 1) {
        const letter = stream.for(index).pick(letters);
        yield { prompt: `${index}: ${letter}`, letter, id: `${index}` };
      }
    },
    rubric: {
      right: ({ reply, example: { letter } }) =>
        score({ reply, letter, said: parser.parse(reply).said ?? "" }),
    },
    policies: { right: ({ example }) => parser.render({ said: example.letter }) },
  }) as unknown as EnvironmentFactory;
}

export const isCorrect = ({ said, letter }: EchoReply): number => Number(said === letter);

/** Scores that differ within a group and do not depend on the reply. */
export function noiseScore(): () => number {
  let count = 0;
  return () => random("noise", (count += 1)).next();
}
