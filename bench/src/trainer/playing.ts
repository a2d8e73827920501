import { type Model, rollouts } from "@envs/core";
import tictactoe from "@envs/tictactoe";
import { chatModel, type Sampler, TinyModel } from "@envs/tiny-model";

import { chatter, waitingModel } from "../chatter.ts";
import type { Figure } from "../figure.ts";
import { median, rate, rounds } from "../rounds.ts";
import { loadMaterial } from "./material.ts";

const [roundCount, games, concurrency, turnsOfChatter] = [5, 1024, 512, 4];

/** Measures games that `tiny:base` plays, and the share of their time outside the sampler. */
export async function playing(): Promise<readonly Figure[]> {
  const { checkpoint } = await loadMaterial();
  const tiny = await TinyModel.start("tiny:base", checkpoint, { threads: 2 });
  const clock = withClock(tiny);
  const model = chatModel(clock.sampler);
  let turns = 0;
  let tokens = 0;
  const sampling: number[] = [];
  const play = async (): Promise<void> => {
    [turns, tokens] = [0, 0];
    const before = clock.seconds();
    for await (const { trajectory } of rollouts(tictactoe({ examples: games }), {
      ...runOptions(model, games),
      sampling: { maxTokens: 48 },
    })) {
      turns += trajectory.length;
      for (const { usage } of trajectory) tokens += usage?.outputTokens ?? 0;
    }
    sampling.push(clock.seconds() - before);
  };
  const chat = async (): Promise<void> => {
    const count = Math.ceil(turns / turnsOfChatter);
    for await (const _ of rollouts(chatter, runOptions(waitingModel(0), count)));
  };
  const measured = await rounds(roundCount, { play, chat });
  await tiny.close();

  // The first value belongs to the warm-up round.
  const withoutSampling = measured.play.map((time, round) => 1 - sampling[round + 1]! / time);
  const engine = measured.chat.map((time, round) => time / measured.play[round]!);
  return [
    {
      name: "games of tic-tac-toe, 512 at once, two threads",
      unit: "games/s",
      ...rate(games, measured.play),
    },
    {
      name: `tokens drawn in them (${(turns / games).toFixed(1)} turns a game)`,
      unit: "tokens/s",
      ...rate(tokens, measured.play),
    },
    {
      name: "share of their time in which no batch is sampled: engine, game, tokenizer",
      unit: "%",
      value: 100 * Math.min(...withoutSampling),
      median: 100 * median(withoutSampling),
    },
    {
      name: "share of the engine alone: the same turns without game and sampler",
      unit: "%",
      value: 100 * Math.min(...engine),
      median: 100 * median(engine),
    },
  ];
}

function runOptions(model: Model, examples: number) {
  return { model, examples, concurrency, rolloutsPerExample: 1, seed: 1 };
}

/** Wraps the model with a clock that runs while it samples. */
function withClock(tiny: TinyModel): { sampler: Sampler; seconds: () => number } {
  let total = 0;
  const sample: Sampler["sample"] = async (requests) => {
    const start = performance.now();
    const completions = await tiny.sample(requests);
    total += (performance.now() - start) / 1000;
    return completions;
  };
  return {
    sampler: { id: tiny.id, renderer: tiny.renderer, contextLength: tiny.contextLength, sample },
    seconds: () => total,
  };
}
