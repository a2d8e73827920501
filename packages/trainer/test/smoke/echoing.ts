import { defineEnvironment, type EnvironmentFactory, random, xmlParser } from "@envs/core";

const parser = xmlParser("said");
const letters = Array.from("abcdefgh");

/** What a score may look at. */
export interface Said {
  readonly said: string;
  readonly letter: string;
  readonly reply: string;
}

/** Say a letter again. `worth` is what that is worth: the place to plant a defect. */
export function echoing(worth: (said: Said) => number | null): EnvironmentFactory {
  return defineEnvironment({
    name: "echoing",
    systemPrompt: `Say the letter again, as ${parser.format}.`,
    *dataset({ random: dice }) {
      for (let index = 0; ; index += 1) {
        const letter = dice.for(index).pick(letters);
        yield { prompt: `${index}: ${letter}`, letter, id: `${index}` };
      }
    },
    rubric: {
      right: ({ reply, example: { letter } }) =>
        worth({ reply, letter, said: parser.parse(reply).said ?? "" }),
    },
    policies: { right: ({ example }) => parser.render({ said: example.letter }) },
  }) as unknown as EnvironmentFactory;
}

export const right = ({ said, letter }: Said): number => Number(said === letter);

/** Rewards that have nothing to do with what is said, and differ within a group. */
export function noise(): () => number {
  let count = 0;
  return () => random("noise", (count += 1)).next();
}
