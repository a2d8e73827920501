// nyt_connections, ported: sort sixteen words into four groups of four. Four mistakes lose.
import {
  assistantMessages,
  defineEnvironment,
  end,
  invalid,
  map,
  split,
  thinkParser,
  xmlParser,
} from "@envs/core";
import { jsonl } from "@envs/data";
import * as z from "zod";

const parser = xmlParser("guess");
const thoughts = thinkParser({ lenient: true });
const lives = 4;

const group = z.object({ group: z.string(), members: z.array(z.string().toUpperCase()).length(4) });
const row = z.object({ id: z.int(), answers: z.array(group).length(4) });
type Group = z.output<typeof group>;

export default defineEnvironment({
  name: "nyt-connections",
  description: "Sort sixteen words into four groups that have something in common.",
  tags: ["game", "multi-turn", "word-puzzle"],

  config: z.object({
    file: z
      .string()
      .default(
        "https://raw.githubusercontent.com/Eyefyre/NYT-Connections-Answers/main/connections.json",
      )
      .describe("Path or URL of the puzzles: JSON with an id and four answers each"),
  }),

  systemPrompt: `The board has four groups of four words. The words of a group have something in common.
Guess one group at a time, in this form: ${parser.render({ guess: "WORD, WORD, WORD, WORD" })}
A right guess removes the group. After ${lives} wrong guesses you have lost.`,
  maxTurns: 12,

  dataset({ config, random }) {
    const puzzles = map(jsonl(config.file, { schema: row }), ({ id, answers }) => ({
      id: `${id}`,
      prompt: random
        .for(id)
        .shuffle(answers.flatMap(({ members }) => members))
        .join(", "),
      answers,
    }));
    return split(puzzles, { train: 9, eval: 1 });
  },

  setup: ({ example: { answers } }) => ({
    hidden: answers as readonly Group[],
    lives,
    unreadable: 0,
  }),

  respond({ reply, state }) {
    const guess = readGuess(reply);
    if (guess === undefined) {
      // Of two unreadable replies in a row, the second costs a life.
      state.unreadable += 1;
      if (state.unreadable % 2 === 1) return invalid("Write four words with commas between them.");
    } else {
      state.unreadable = 0;
      const found = state.hidden.find(({ members }) => isSame(members, guess));
      if (found !== undefined) {
        state.hidden = state.hidden.filter((other) => other !== found);
        // The last four words need no guess.
        if (state.hidden.length === 1) state.hidden = [];
        return state.hidden.length === 0
          ? end(`Right: ${found.group}. You have found all groups.`)
          : `Right: ${found.group}. These words are left: ${wordsOf(state.hidden)}`;
      }
    }
    state.lives -= 1;
    if (state.lives === 0) return end("You have lost.");
    return `Wrong. You may still be wrong ${state.lives - 1} times. The words: ${wordsOf(state.hidden)}`;
  },

  rubric: {
    solved: ({ state }) => state.hidden.length === 0,
    lives: {
      weight: 0.3,
      score: ({ state }) => (state.hidden.length === 0 ? state.lives / lives : 0),
    },
    groups: { weight: 0.2, score: ({ state }) => 1 - state.hidden.length / 4 },
    format: {
      weight: 0.1,
      score: ({ completion, turns }) =>
        assistantMessages(completion).filter(({ content }) => readGuess(content) !== undefined)
          .length / Math.max(turns, 1),
    },
  },

  policies: {
    gold: ({ state }) => writeGuess(state.hidden[0]!.members),
    "same-group": ({ example }) => writeGuess(example.answers[0]!.members),
    "one-away": ({ state: { hidden } }) =>
      writeGuess([...hidden[0]!.members.slice(1), hidden[1]!.members[0]!]),
    "in-thoughts": ({ state }) => `<think>${writeGuess(state.hidden[0]!.members)}</think>`,
    "all-words": ({ example }) => writeGuess(example.answers.flatMap(({ members }) => members)),
  },
});

function writeGuess(words: readonly string[]): string {
  return parser.render({ guess: words.join(", ") });
}

/** The four words of the guess after the thoughts; `undefined` if it has more or fewer. */
function readGuess(reply: string): readonly string[] | undefined {
  const words = (parser.parse(thoughts.parse(reply) ?? "").guess ?? "")
    .split(",")
    .map((word) => word.trim().toUpperCase());
  return words.length === 4 && words.every((word) => word !== "") ? words : undefined;
}

function isSame(members: readonly string[], guess: readonly string[]): boolean {
  return members.every((member) => guess.includes(member));
}

/** The words of the groups in alphabetical order, which hides the groups. */
function wordsOf(groups: readonly Group[]): string {
  return groups
    .flatMap(({ members }) => members)
    .toSorted()
    .join(", ");
}
