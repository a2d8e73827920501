import { random, textOf } from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import {
  heldOutDrawings,
  heldOutWordings,
  probe,
  standardPresentation,
} from "@envs/tictactoe/exact";
import fc from "fast-check";
import { expect, test } from "vitest";

import { freeCells } from "../src/game.ts";
import tictactoe from "../src/index.ts";
import { positions } from "../src/positions.ts";
import {
  describeTurn,
  drawBoard,
  drawDrawing,
  drawWording,
  presentationNames,
} from "../src/presentation.ts";
import { variedDrawings, variedSentences } from "../src/wordings.ts";

const boards = positions();
const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const names = fc.constantFrom(...presentationNames);

test("every drawing shows the nine cells in order: marks, and the numbers of free positions", () => {
  fc.assert(
    fc.property(names, seeds, fc.constantFrom(...boards), (name, seed, board) => {
      const drawing = drawDrawing(name, random(seed));
      const shown = drawBoard(board, drawing)
        .match(/[XO\d]/gu)!
        .join("");
      expect(shown).toBe(Array.from(board, (cell, at) => (cell === "." ? at : cell)).join(""));
    }),
  );
});

test("no sentence shows a digit, so every digit after the board is a free position", () => {
  fc.assert(
    fc.property(names, seeds, fc.constantFrom(...boards), (name, seed, board) => {
      const wording = drawWording(name, random(seed));
      const message = describeTurn(board, { ...standardPresentation, wording });
      const digits = (message.match(/\d/gu) ?? []).map(Number);
      const free = freeCells(board);
      expect(digits).toEqual(wording.list === "" ? free : [...free, ...free]);
      expect(message).toContain(drawBoard(board));
    }),
  );
});

test("training draws no held-out wording and no held-out drawing", () => {
  const heldOut = heldOutWordings.map((wording) => JSON.stringify(wording));
  expect(new Set(heldOut).size).toBe(10);
  for (let seed = 0; seed < 3000; seed += 1) {
    expect(heldOut).not.toContain(JSON.stringify(drawWording("varied", random(seed))));
    expect(heldOutDrawings).not.toContainEqual(drawDrawing("varied", random(seed)));
  }
  const known = new Set<string>(Object.values(variedSentences).flat());
  const added = heldOutWordings.map(({ before, list, turn, after }) =>
    [before, list, turn, after].filter((part) => part !== "" && !known.has(part.trim())),
  );
  for (const parts of added) expect(parts).not.toEqual([]);
  for (const drawing of heldOutDrawings) expect(variedDrawings).not.toContainEqual(drawing);
});

test("a game keeps its presentation, which depends on the seed of the example alone", async () => {
  const environment = tictactoe({ wording: "varied", drawing: "varied", examples: 20 });
  for await (const { example } of examples(environment, { count: 20 })) {
    const first = episode(environment, example, { seed: 1 });
    const second = episode(environment, example, { seed: 2 });
    await first.start();
    await second.start();
    expect(second.messages).toEqual(first.messages);
    const wording = drawWording("varied", random(example.seed, "wording"));
    const drawing = drawDrawing("varied", random(example.seed, "drawing"));
    expect(textOf(first.messages.at(-1)!.content)).toBe(
      describeTurn(example.board, { wording, drawing }),
    );
  }
});

test("every round has every position once, in another order", async () => {
  const environment = tictactoe({ start: "every", rounds: 2 });
  const seen: string[] = [];
  for await (const { example } of examples(environment)) seen.push(example.board);
  expect(seen).toHaveLength(2 * boards.length);
  const rounds = [seen.slice(0, boards.length), seen.slice(boards.length)];
  for (const round of rounds) expect(round.toSorted()).toEqual([...boards].toSorted());
  expect(rounds[0]).not.toEqual(rounds[1]);
});

test("a probe with a presentation shows it", async () => {
  const [wording] = heldOutWordings;
  const last: string[] = [];
  const { invalid } = await probe(
    async (conversations) => {
      last.push(...conversations.map((messages) => textOf(messages.at(-1)!.content)));
      return conversations.map(() => "");
    },
    { presentation: { ...standardPresentation, wording: wording! } },
  );
  expect(invalid).toBe(1);
  expect(last.filter((message) => message.endsWith(" Good luck!"))).toHaveLength(4520);
});
