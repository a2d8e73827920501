import { describe, expect, it } from "vitest";

import { readAddress, writeAddress } from "../../src/player/address.ts";
import type { Move, PlaySetup } from "../../src/player/game-state.ts";

const setup: PlaySetup = {
  role: "O",
  player: "tiny:tictactoe",
  config: { maxTurns: 3, opponent: "human" },
  split: "train",
  example: 12,
  seed: 7,
};
const call = { id: "1", type: "function", function: { name: "search", arguments: "{}" } } as const;
const moves: readonly Move[] = [
  { by: "person", reply: "<think>ä & ö</think>\n<move>4</move>" },
  { by: "player", reply: "2" },
  { by: "person", reply: { role: "assistant", content: "", tool_calls: [call] } },
];

describe("the address of a game", () => {
  it("contains the setup and the moves of the person", () => {
    const own = moves.filter(({ by }) => by === "person");
    expect(readAddress(`?${writeAddress(setup, moves)}`)).toEqual({ setup, moves: own });
  });

  it("contains all moves for a person who watches", () => {
    const watch = { ...setup, role: "watch" };
    expect(readAddress(`?${writeAddress(watch, moves)}`)).toEqual({ setup: watch, moves });
  });

  it("is empty for the first example without moves", () => {
    const plain = {
      ...setup,
      role: "model",
      config: {},
      split: undefined,
      example: 0,
      seed: 0,
    } as const;
    expect(writeAddress(plain, [])).toBe("");
  });

  it("leaves the moves out if it would be too long", () => {
    const long = writeAddress(setup, [{ by: "person", reply: "x".repeat(10_000) }]);
    expect(readAddress(`?${long}`)).toEqual({ setup, moves: [] });
  });

  it.each([
    "example=-1&seed=1e3",
    "example=99999999999999999999",
    "config=[1]&moves={}",
    "config={&moves=[",
    "as=%3Cb%3E",
    "moves=[3]",
    'moves=[{"role":"system"}]',
    "moves=[[1]]",
  ])("ignores parameters that are not valid: %s", (search) => {
    expect(readAddress(`?${search}`)).toEqual({ setup: {}, moves: [] });
  });
});
