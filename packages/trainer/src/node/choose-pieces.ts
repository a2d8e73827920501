import { type Message, random, textOf } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import {
  type Shape,
  shapeFor,
  TinyModel,
  type Tokenizer,
  type TokenizerOptions,
  trainTokenizer,
  untrained,
} from "@envs/tiny-model";

import { tinyBackend } from "../tiny-backend.ts";
import type { SftPhase, TrainingPlan } from "../train/plan.ts";
import { sftBatch, sftExample } from "../train/sft-example.ts";
import { sftDataset, sftStep } from "../train/sft.ts";

export type Pieces = "lines" | "words";

/** The choice between tokens of words and tokens of lines for a new model, and the reason. */
export interface PiecesChoice {
  readonly pieces: Pieces;
  /** Nats per character of the held-out replies, after a short training with each. Absent if there were too few conversations. */
  readonly losses?: Readonly<Record<Pieces, number>> | undefined;
}

interface ChoiceOptions extends Pick<TrainingPlan, "seed" | "threads"> {
  readonly model: Shape;
  readonly phase: SftPhase;
  readonly signal?: AbortSignal | undefined;
}

type Chat = readonly Message[];

/** The minimum number of conversations for a comparison: with fewer, chance would decide. */
const minChats = 40;
const maxHeldOut = 100;

/** The maximum loss of words, as a share of that of lines, whose shorter conversations make training faster. */
const minGain = 0.97;

/** The share of the phase that each candidate is trained for, up to a maximum number of tokens. */
const trialShare = 0.5;
const maxTrialTokens = 400_000;

/**
 * Trains the model with each kind of pieces for half of its first phase, and chooses the one with the lower loss per character on
 * held-out replies. Lines have the lower loss at first, so a shorter training would always choose them. A loss per token cannot
 * be compared between tokenizers, whose tokens differ in length.
 */
export async function choosePieces(
  chats: readonly Chat[],
  options: ChoiceOptions,
): Promise<PiecesChoice> {
  if (chats.length < minChats) return { pieces: "lines" };
  const shuffled = random("pieces", options.seed).shuffle([...chats]);
  const count = Math.min(maxHeldOut, Math.floor(chats.length / 10));
  const split = { heldOut: shuffled.slice(0, count), training: shuffled.slice(count) };
  const losses = {
    lines: await trialLoss("lines", split, options),
    words: await trialLoss("words", split, options),
  };
  return { pieces: losses.words < minGain * losses.lines ? "words" : "lines", losses };
}

/** The tokenizer of a new model for these conversations. */
export function tokenizerFor(
  chats: readonly Chat[],
  {
    vocabulary,
    pieces,
  }: { readonly vocabulary: number; readonly pieces: TokenizerOptions["pieces"] },
): Tokenizer {
  const texts = chats.flat().map(({ content }) => textOf(content));
  return trainTokenizer(texts, { vocabularySize: vocabulary, pieces });
}

/** Nats per character; infinite if no conversation fits the context. */
async function trialLoss(
  pieces: Pieces,
  { heldOut, training }: { readonly heldOut: readonly Chat[]; readonly training: readonly Chat[] },
  { model, phase, seed, threads, signal }: ChoiceOptions,
): Promise<number> {
  const { vocabulary, ...sizes } = model;
  const tokenizer = tokenizerFor(training, { vocabulary, pieces });
  const checkpoint = untrained(shapeFor(tokenizer, sizes), tokenizer, seed);
  const backend = tinyBackend(await TinyModel.start(`trial ${pieces}`, checkpoint, { threads }));
  try {
    const whole = await sftDataset(training, phase, backend, { signal });
    const tokens = whole.examples.reduce((sum, { inputs }) => sum + inputs.length, 0);
    const budget = Math.min(maxTrialTokens, trialShare * phase.epochs * tokens);
    const tokensPerStep = (tokens / whole.examples.length) * phase.batchSize;
    const dataset = { ...whole, steps: Math.max(1, Math.round(budget / tokensPerStep)) };
    for (let step = 0; step < dataset.steps; step += 1) {
      signal?.throwIfAborted();
      await sftStep(backend, phase, { dataset, seed: `${seed}/pieces`, step });
    }
    const examples = heldOut
      .map((chat) => sftExample(chat, backend.renderer))
      .filter(({ inputs }) => inputs.length < backend.contextLength);
    if (examples.length < heldOut.length) return Infinity;
    const forwards = await backend.forward(sftBatch(examples));
    const nats = forwards.reduce(
      (sum, { logprobs }, place) =>
        examples[place]!.isTrained.reduce(
          (part, isTrained, index) => (isTrained ? part - logprobs[index]! : part),
          sum,
        ),
      0,
    );
    return nats / replyCharacters(heldOut);
  } catch (error) {
    if (isConfigError(error)) return Infinity;
    throw error;
  } finally {
    await backend.close();
  }
}

function replyCharacters(chats: readonly Chat[]): number {
  return chats
    .flat()
    .reduce(
      (sum, { role, content }) => (role === "assistant" ? sum + textOf(content).length : sum),
      0,
    );
}

/** The choice as a sentence part: `tokens of words: 0.41 nats per character of held-out replies, lines 0.62`. */
export function describeChoice({ pieces, losses }: PiecesChoice): string {
  if (losses === undefined)
    return `tokens of ${pieces}, since there are too few conversations to compare`;
  const other = pieces === "lines" ? "words" : "lines";
  return `tokens of ${pieces}: ${losses[pieces].toFixed(3)} nats per character of held-out replies, with ${other} ${Number.isFinite(losses[other]) ? losses[other].toFixed(3) : "conversations exceed model.context"}`;
}
