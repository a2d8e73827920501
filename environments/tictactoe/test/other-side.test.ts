import { assistantMessage, type AssistantMessage, evaluate, policy } from "@envs/core";
import { episode, examples, type Player } from "@envs/core/engine";
import { describe, expect, it } from "vitest";

import tictactoe from "../src/index.ts";

const reply = (cell: number) => assistantMessage(`<think>win: none</think><move>${cell}</move>`);

/** A player that takes these cells in turn. */
function taking(...cells: readonly (number | string)[]): Player {
  const messages = cells.map((cell): AssistantMessage =>
    typeof cell === "number" ? reply(cell) : assistantMessage(cell),
  );
  const remaining = messages.values();
  return async () => ({ message: remaining.next().value!, finish: "stop" });
}

/** The first game that X begins. */
async function emptyGame() {
  for await (const { example } of examples(tictactoe()))
    if (example.board === ".........") return example;
  throw new Error("There is always one.");
}

describe("the seat O", () => {
  it("reads its own rules and boards, and why a move is not valid", async () => {
    const game = episode(tictactoe(), await emptyGame(), {
      seat: "O",
      players: { X: taking(4, 8, 5) },
    });
    await game.start();
    expect(game.prompt.map(({ content }) => content)).toEqual([
      expect.stringContaining("You play tic-tac-toe as O against X."),
      expect.stringContaining("3 | X | 5"),
    ]);
    const { messages, isInvalid } = await game.step(reply(4));
    expect([isInvalid, messages[0]?.content]).toEqual([
      true,
      expect.stringMatching(/^Invalid move. Position 4 is occupied. Try again./),
    ]);
    await game.step(reply(0));
    expect(game.state.board).toBe("O...X...X");
  });

  it("is scored from its side, beside X", async () => {
    const game = episode(tictactoe(), await emptyGame(), {
      seat: "O",
      players: { X: taking(0, 1, 8) },
    });
    await game.start();
    for (const cell of [3, 4, 5]) await game.step(reply(cell));
    expect([game.stopReason, game.messages.at(-1)?.content]).toEqual([
      "end",
      expect.stringContaining("You win."),
    ]);
    expect(await game.score()).toMatchObject({
      scores: { win: 1, won: 1, loss: 0, format: 1, replies: 3 },
      otherSeats: { X: { scores: { win: 0, won: 0, loss: 1, replies: 3 } } },
    });
  });

  it("reads that a limit of X has ended the game", async () => {
    const game = episode(tictactoe(), await emptyGame(), {
      players: { O: taking(8) },
      maxTurns: 1,
    });
    await game.start();
    await game.step(reply(0));
    expect(game.stopReason).toBe("turns");
    const [other] = game.otherConversations;
    expect([game.messages.at(-1)?.content, other!.messages.at(-1)?.content]).toEqual([
      expect.stringContaining("It is your turn."),
      expect.stringContaining("The game has ended early."),
    ]);
    expect([game.conversation.isTruncated, other!.isTruncated]).toEqual([true, false]);
  });

  it("plays perfectly by policy:optimal, which draws against itself", async () => {
    const { rollouts } = await evaluate(tictactoe(), {
      model: { X: policy("optimal"), O: policy("optimal") },
      examples: 20,
      rolloutsPerExample: 1,
    });
    const begunByX = rollouts.filter(({ example }) => example.board === ".........");
    expect(begunByX.length).toBeGreaterThan(5);
    for (const { seat, otherSeats, ...rollout } of begunByX)
      expect([seat, rollout, otherSeats?.["O"]]).toMatchObject([
        "X",
        { scores: { win: 0.5, draw: 1 } },
        { scores: { win: 0.5, draw: 1, format: 1 } },
      ]);
  });

  it("never loses by policy:optimal against a careless X", async () => {
    const { rollouts } = await evaluate(tictactoe(), {
      model: { O: policy("optimal"), X: policy("careless") },
      examples: 60,
      rolloutsPerExample: 1,
    });
    for (const rollout of rollouts) {
      if (rollout.status === "failed") throw new Error(rollout.error.message);
      const { board } = rollout.example;
      const { won, loss, missedWin } = rollout.scores;
      expect([rollout.seat, missedWin ?? 0]).toEqual(["O", 0]);
      // If O began, its first move was drawn at random, and may be bad.
      if (board === ".........") expect(loss).toBe(0);
      expect(rollout.otherSeats?.["X"]?.scores?.["loss"]).toBe(won);
    }
  });
});
