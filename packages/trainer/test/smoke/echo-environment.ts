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

/**
 * An environment in which the model repeats a letter. Tests pass a defective `score`, or a policy that does not know the answer.
 */
export function echoEnvironment(
  score: (reply: EchoReply) => number | null,
  policyName: "right" | "any" = "right",
): EnvironmentFactory {
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
    policies:
      policyName === "right"
        ? { right: ({ example }) => parser.render({ said: example.letter }) }
        : { any: ({ random: stream }) => parser.render({ said: stream.pick(letters) }) },
  }) as unknown as EnvironmentFactory;
}

/** A score: 1 for the letter, less for its neighbours in the alphabet. */
export const closeness = ({ said, letter }: EchoReply): number =>
  said.length === 1 ? Math.max(0, 1 - Math.abs(said.charCodeAt(0) - letter.charCodeAt(0)) / 4) : 0;

export const isCorrect = ({ said, letter }: EchoReply): number => Number(said === letter);

/** Scores that differ within a group and do not depend on the reply. */
export function noiseScore(): () => number {
  let count = 0;
  return () => random("noise", (count += 1)).next();
}
