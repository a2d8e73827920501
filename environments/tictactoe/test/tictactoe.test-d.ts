import {
  evaluate,
  type InferExample,
  type InferScoreName,
  type InferState,
  policy,
} from "@envs/core";
import { expectTypeOf, test } from "vitest";

import tictactoe from "../src/index.ts";
import type { Reply } from "../src/review.ts";

test("infers the state, the example and the score names", () => {
  expectTypeOf<InferState<typeof tictactoe>>().toEqualTypeOf<{
    board: string;
    next: "X" | "O";
    invalidMoves: { X: number; O: number };
    replies: { X: readonly Reply[]; O: readonly Reply[] };
  }>();
  expectTypeOf<InferExample<typeof tictactoe>>().toEqualTypeOf<{
    prompt: string;
    board: string;
    randomMoveProb: number;
    seed: number;
  }>();
  expectTypeOf<InferScoreName<typeof tictactoe>>().toEqualTypeOf<
    | "win"
    | "format"
    | "speed"
    | "faithfulness"
    | "won"
    | "draw"
    | "loss"
    | "invalid"
    | "faithful"
    | "missedWin"
    | "slowWin"
    | "replies"
  >();
});

test("infers the score names of a summary", async () => {
  const { scores } = await evaluate(tictactoe(), { model: policy("random") });
  expectTypeOf(scores.win.mean).toEqualTypeOf<number | null>();
  // @ts-expect-error -- a misspelt score is an error
  void scores.wni;
});

test("type-checks the config", () => {
  expectTypeOf(tictactoe).toBeCallableWith({ minRandomMoveProb: 0.2, numGroups: 32 });
  expectTypeOf(tictactoe).toBeCallableWith();
  expectTypeOf(tictactoe).toBeCallableWith({ opponent: "human", start: "every" });
  // @ts-expect-error -- there is no such opponent
  tictactoe({ opponent: "perfect" });
  // @ts-expect-error -- a misspelt option is an error
  tictactoe({ maxRandomMovProb: 1 });
  // @ts-expect-error -- a probability is a number
  tictactoe({ minRandomMoveProb: "0.5" });
});
