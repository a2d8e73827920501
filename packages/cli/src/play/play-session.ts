import type { KeyedExample } from "@envs/core/engine";
import { paint } from "@envs/terminal";

import { figure } from "../render/score-table.ts";
import { note } from "./ask-player.ts";
import { readTyped } from "./commands.ts";
import type { Table } from "./play-context.ts";
import { type Ending, type Game, playGame } from "./play-example.ts";
import { takenBack } from "./play-history.ts";

/** Plays example after example, as long as the person likes. Resolves to the exit code. */
export async function playSession(
  table: Table,
  examples: AsyncIterator<KeyedExample>,
): Promise<number> {
  const rewards: number[] = [];
  let game = await nextGame(examples, true);
  let isBroken = false;
  while (game !== undefined) {
    const ending = await playGame(table, game);
    isBroken = ending.way === "broken";
    if (ending.way === "over") rewards.push(ending.reward!);
    const way =
      ending.way === "over" || ending.way === "broken" ? await askOn(table, ending) : ending.way;
    if (way === "quit") break;
    if (way === "back" && ending.way === "over") rewards.pop();
    if (way === "next") {
      game = await nextGame(examples, false);
      if (game === undefined) table.write(note("That was the last example."));
    } else game = { ...game, ...followed(table, { ending, game, way }) };
  }
  if (rewards.length > 1) {
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    table.write(`\n${rewards.length} games, reward ${figure(mean)} on average.`);
  }
  return isBroken ? 1 : 0;
}

type On = "next" | "restart" | "back" | "again" | "quit";

function followed(
  { seat }: Table,
  { ending, game, way }: { readonly ending: Ending; readonly game: Game; readonly way: On },
): Partial<Game> {
  if (way === "restart") return { said: [], attempt: game.attempt + 1, isFirst: false };
  const said = way === "back" ? (takenBack(ending.said, seat) ?? []) : ending.said;
  return { said, isFirst: false };
}

/** Asks what comes after a game. */
async function askOn({ lines, write }: Table, { way }: Ending): Promise<On> {
  const question = way === "broken" ? "Try again?" : "Play again?";
  write("");
  for (;;) {
    const line = await lines.read(`${paint("bold", question)} ${paint("dim", "[Y/n]")} `);
    if (line === undefined) return "quit";
    const typed = readTyped(line);
    if (typed.kind === "command") {
      const { name } = typed;
      if (name === "next" || name === "restart" || name === "back" || name === "quit") return name;
    }
    if (/^\s*(y|yes)?\s*$/i.test(line)) return way === "broken" ? "again" : "next";
    if (/^\s*(n|no)\s*$/i.test(line)) return "quit";
    write(note("Enter goes on, n stops. Or: /back, /restart, /next, /quit."));
  }
}

async function nextGame(
  examples: AsyncIterator<KeyedExample>,
  isFirst: boolean,
): Promise<Game | undefined> {
  const next = await examples.next();
  return next.done === true ? undefined : { keyed: next.value, attempt: 0, said: [], isFirst };
}
