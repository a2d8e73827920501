import { type DatasetContext, type Random, random } from "@envs/core";
import type * as z from "zod";

import type { config as schema } from "./config.ts";
import { yourTurn } from "./conversation.ts";
import { type Board, emptyBoard, type Mark } from "./game.ts";
import { chooseCell, type Opponent, openingBoard, randomMoveProbOf } from "./opponent.ts";
import { opponents, turned } from "./players.ts";
import { drawPosition, positions } from "./positions.ts";
import { drawDrawing, drawWording, type Presentation } from "./presentation.ts";
import { symmetries } from "./symmetry.ts";
import { standardWording } from "./wordings.ts";

type Config = z.output<typeof schema>;

/** The dataset: one example per game. */
export function* games({ config, random: source }: DatasetContext<Config>) {
  const every = config.start === "every" ? everyPosition(config.rounds, source) : undefined;
  for (let index = 0; index < (every?.length ?? config.examples); index += 1) {
    const seed = source.for(index).int(2 ** 32);
    const randomMoveProb = randomMoveProbOf(index, config, random(seed, "difficulty"));
    const sources = { start: random(seed, "start"), reply: random(seed, emptyBoard) };
    const board =
      config.start === "opening"
        ? openingBoard(opponentOf(config, { seed, randomMoveProb }), sources)
        : (every?.[index] ?? drawPosition(random(seed, "position")));
    yield {
      prompt: yourTurn(board, presentationFor(config, { seed })),
      board,
      randomMoveProb,
      seed,
    };
  }
}

/** Every position once in each round, in a new order. */
function everyPosition(rounds: number, source: Random): readonly Board[] {
  return Array.from({ length: rounds }, (_, round) =>
    (round === 0 ? source.for("start") : source.for("start", round)).shuffle(positions()),
  ).flat();
}

interface Game {
  readonly seed: number;
  readonly randomMoveProb: number;
}

/** The presentation of a game; equal for all of its rollouts. Only X, which is trained, reads other wordings. */
export function presentationFor(
  { wording, drawing }: Config,
  { seed }: Pick<Game, "seed">,
  mark: Mark = "X",
): Presentation {
  return {
    wording: mark === "X" ? drawWording(wording, random(seed, "wording")) : standardWording,
    drawing: drawDrawing(drawing, random(seed, "drawing")),
  };
}

/** The cell that the opponent of the config takes. The same board in the same game always gets the same move. */
export function cellOfOpponent(board: Board, mark: Mark, config: Config, game: Game): number {
  return chooseCell(board, opponentOf(config, game), { mark, random: random(game.seed, board) });
}

function opponentOf({ opponent, turnOpponent }: Config, { seed, randomMoveProb }: Game): Opponent {
  const player = opponents[opponent];
  const symmetry = turnOpponent ? random(seed, "turn").pick(symmetries) : undefined;
  return { player: symmetry ? turned(player, symmetry) : player, randomMoveProb };
}
