import {
  type Environment,
  type JudgeModels,
  type Message,
  type Rollout,
  rollouts,
  textOf,
} from "@envs/core";
import { policyNamesOf } from "@envs/core/engine";
import { chatRenderer, type Tokenizer, trainTokenizer } from "@envs/tiny-model";

import { weakTeacher } from "./scripted-models.ts";

/** The share of the best policy among the weak teacher's replies: enough to learn the format, but not the content. */
const bestPolicyShare = 0.5;

/** The factor by which a small vocabulary, which is learned faster, may make conversations longer. */
const maxLengthRatio = 1.35;
const vocabularySizes = [96, 128, 160, 192, 256, 320] as const;

type Chat = readonly Message[];

/** A tokenizer for an environment's conversations, and their lengths. */
export interface TokenizedChats {
  readonly tokenizer: Tokenizer;
  /** Tokens of each conversation, in ascending order. */
  readonly lengths: readonly number[];
  /** Tokens of the longest reply. */
  readonly longestReply: number;
}

/** Conversations that the model imitates before reinforcement learning. */
export interface WarmUpData {
  readonly chats: readonly Chat[];
  readonly rollouts: readonly Rollout[];
}

/** Plays the environment with a weak teacher. */
export async function prepareWarmUp(
  environment: Environment,
  {
    replies,
    judge,
    seed,
    signal,
  }: {
    readonly replies: readonly string[];
    readonly judge: JudgeModels;
    readonly seed: number;
    readonly signal: AbortSignal;
  },
): Promise<WarmUpData> {
  const policies = policyNamesOf(environment);
  const played: Rollout[] = [];
  for await (const rollout of rollouts(environment, {
    model: weakTeacher({ policies, replies, share: bestPolicyShare }),
    judge,
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
  return { chats, rollouts: played };
}

/** Trains a tokenizer on conversations. */
export function tokenizeChats(chats: readonly Chat[]): TokenizedChats {
  const tokenizer = trainTokenizer(textsOf(chats), { vocabularySize: chooseVocabulary(chats) });
  const renderer = chatRenderer(tokenizer);
  return {
    tokenizer,
    lengths: chats.map((chat) => renderer.prompt(chat).length).sort((a, b) => a - b),
    longestReply: longestReply(chats, tokenizer),
  };
}

/** The smallest vocabulary whose conversations are about as short as with the largest. */
function chooseVocabulary(chats: readonly Chat[]): number {
  const sample = chats.slice(0, 300);
  const candidates = vocabularySizes.map((vocabularySize) => {
    const renderer = chatRenderer(trainTokenizer(textsOf(sample), { vocabularySize }));
    const tokens = sample.reduce((sum, chat) => sum + renderer.prompt(chat).length, 0);
    return { vocabularySize, tokens };
  });
  const minTokens = candidates.at(-1)!.tokens;
  return candidates.find(({ tokens }) => tokens <= maxLengthRatio * minTokens)!.vocabularySize;
}

function longestReply(chats: readonly Chat[], tokenizer: Tokenizer): number {
  let tokens = 0;
  for (const { role, content } of chats.flat())
    if (role === "assistant") tokens = Math.max(tokens, tokenizer.encode(content).length);
  return tokens;
}

function textsOf(chats: readonly Chat[]): string[] {
  return chats.flat().map(({ content }) => textOf(content));
}
