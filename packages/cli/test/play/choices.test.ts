import { type Board, defineEnvironment, end, invalid } from "@envs/core";
import { describe, expect, test } from "vitest";

import { boardLines, choiceKeys, choiceList, drawsBoard } from "../../src/play/position.ts";
import { playLines } from "./nim.ts";

const doors = ["the red door", "the green door", "the blue door"];

/** An environment with three doors, one of which is right. */
const corridor = defineEnvironment({
  name: "corridor",
  dataset: () => [{ prompt: "Three doors.", right: 1 }],
  setup: () => ({ opened: [] as number[] }),
  respond({ reply, state, example }) {
    const door = /^<open>([0-2])<\/open>$/.exec(reply)?.[1];
    if (door === undefined) return invalid("There is no such door.");
    state.opened.push(Number(door));
    return Number(door) === example.right ? end("You are out.") : "A wall.";
  },
  game: {
    choices: ({ state }) =>
      doors.flatMap((label, door) =>
        state.opened.includes(door) ? [] : [{ reply: `<open>${door}</open>`, label }],
      ),
    board: ({ state }) => ({
      label: "The corridor",
      rows: [
        doors.map((label, door) =>
          state.opened.includes(door)
            ? { text: "▦", label: `${label}: a wall` }
            : { text: "", label, reply: `<open>${door}</open>` },
        ),
      ],
    }),
  },
  rubric: { out: ({ state, example }) => Number(state.opened.includes(example.right)) },
});

const play = (lines: readonly string[]) => playLines(lines, { environment: corridor() });

describe("playSession with choices", () => {
  test("lists the choices and draws the board before each reply", async () => {
    const { output } = await play(["3", "/quit"]);
    expect(output).toContain("\n  1 │ 2 │ 3\n    1  the red door\n    2  the green door\n");
    expect(output).toContain("\n  1 │ 2 │ ▦\n    1  the red door\n    2  the green door\n›");
  });

  test.for(["2", "the green door", "<open>1</open>"])("plays the choice of %j", async (typed) => {
    const { output, code } = await play([typed, "n"]);
    expect(output).toContain("You are out.");
    expect(output).toMatch(/reward 1/);
    expect(code).toBe(0);
  });

  test("sends other text as it is", async () => {
    const { output } = await play(["4", "/quit"]);
    expect(output).toContain("There is no such door.");
  });

  test("hints with the policy random where the environment has no other", async () => {
    expect((await play(["/hint", "/quit"])).output).toMatch(/random would answer\n {2}open {2}\d/);
  });
});

const letter = (label: string) => ({ reply: `<m>${label}</m>`, label });

describe("the rendering of positions", () => {
  test("uses short distinct labels as keys, and numbers otherwise", () => {
    expect(choiceKeys(["a1", "b2"].map(letter))).toEqual(["a1", "b2"]);
    expect(choiceKeys(["a", "a"].map(letter))).toEqual(["1", "2"]);
    expect(choiceKeys(["two words", "b"].map(letter))).toEqual(["1", "2"]);
  });

  test("counts more than forty choices instead of listing them", () => {
    const many = Array.from({ length: 100 }, (_, index) => letter(`${index + 1}`));
    expect(choiceList(many, 80)).toContain("100 choices, from 1 to 100");
  });

  test("removes control characters of an environment", () => {
    const board: Board = { label: "", rows: [[{ text: "\u001B[2J", label: "" }]] };
    expect(boardLines(board, []).join("")).not.toContain("\u001B[2J");
    expect(choiceList([letter("\u001B[2J a")], 80)).not.toContain("\u001B[2J");
  });

  const cell = (text: string) => ({ text, label: text });
  const board: Board = {
    label: "",
    rows: [
      [cell("X"), cell(""), cell("O")],
      [cell(""), cell("X"), cell("")],
    ],
  };

  test.for([
    ["X | 1 | O\n3 | X | 5", true],
    ["Board:\nX 1 O\n----\n3 X 5\n", true],
    ["O | 1 | X\n3 | X | 5", false],
    ["Your move.", false],
  ] as const)("finds whether %j draws the board", ([text, expected]) => {
    expect(drawsBoard(text, board)).toBe(expected);
  });
});
