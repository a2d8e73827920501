import { type Environment, type Message, rollouts, type Rollout } from "@envs/core";
import { chatRenderer, type Tokenizer, trainTokenizer } from "@envs/tiny-model";

import { weakTeacher } from "./players.ts";

/** How often the best policy speaks: enough to learn the form from, far from all there is to learn. */
const share = 0.5;

/** A larger vocabulary has to shorten conversations by more than this to be worth it: small ones are learned faster. */
const longer = 1.35;
const vocabularies = [96, 128, 160, 192, 256, 320] as const;

type Chat = readonly Message[];

/** How a tiny model reads and writes what is said in an environment. */
export interface Language {
  readonly tokenizer: Tokenizer;
  /** Tokens of each conversation, from the shortest to the longest. */
  readonly lengths: readonly number[];
  /** Tokens of the longest reply. */
  readonly longestReply: number;
}

/** What a model begins with. */
export interface Lessons {
  readonly chats: readonly Chat[];
  readonly rollouts: readonly Rollout[];
  /** Left out if there is no conversation that was scored. */
  readonly language?: Language;
}

/** Plays with a weak teacher and finds a vocabulary for what was said. */
export async function prepareLessons(
  environment: Environment,
  options: {
    readonly replies: readonly string[];
    readonly seed: number;
    readonly signal: AbortSignal;
  },
): Promise<Lessons> {
  const { replies, seed, signal } = options;
  const policies = Object.keys(environment.definition.policies ?? {});
  const played: Rollout[] = [];
  for await (const rollout of rollouts(environment, {
    model: weakTeacher({ policies, replies, share }),
    examples: Infinity,
    rolloutsPerExample: 2,
    concurrency: 128,
    seed,
    signal,
  }))
    played.push(rollout);
  played.sort((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex);
  const chats = played
    .filter(({ status, trajectory }) => status === "scored" && trajectory.length > 0)
    .map(({ prompt, completion }) => prompt.concat(completion));
  if (chats.length === 0) return { chats, rollouts: played };
  const tokenizer = trainTokenizer(textsOf(chats), { vocabularySize: fittingSize(chats) });
  const renderer = chatRenderer(tokenizer);
  return {
    chats,
    rollouts: played,
    language: {
      tokenizer,
      lengths: chats.map((chat) => renderer.prompt(chat).length).sort((a, b) => a - b),
      longestReply: longest(chats, tokenizer),
    },
  };
}

/** The smallest vocabulary with which conversations are about as short as with the largest. */
function fittingSize(chats: readonly Chat[]): number {
  const sample = chats.slice(0, 300);
  const sizes = vocabularies.map((vocabularySize) => {
    const renderer = chatRenderer(trainTokenizer(textsOf(sample), { vocabularySize }));
    const tokens = sample.reduce((sum, chat) => sum + renderer.prompt(chat).length, 0);
    return { vocabularySize, tokens };
  });
  const fewest = sizes.at(-1)!.tokens;
  return sizes.find(({ tokens }) => tokens <= longer * fewest)!.vocabularySize;
}

function longest(chats: readonly Chat[], tokenizer: Tokenizer): number {
  let tokens = 0;
  for (const { role, content } of chats.flat())
    if (role === "assistant") tokens = Math.max(tokens, tokenizer.encode(content).length);
  return tokens;
}

function textsOf(chats: readonly Chat[]): string[] {
  return chats.flat().map(({ content }) => content);
}
