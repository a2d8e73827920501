// Measure how well a model plays tic-tac-toe against unseen opponents and from unseen positions. The figures are exact:
// all lines of play at temperature 0. Run: node examples/generalisation.ts tiny:tictactoe
import type { Message } from "@envs/core";
import { exactFigures, exactOpponents, probe, walk } from "@envs/tictactoe/exact";
import { chatModel, TinyModel } from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

const [reference = "tiny:tictactoe"] = process.argv.slice(2);
const { checkpoint } = await findCheckpoint(reference);
const tiny = await TinyModel.start(reference, checkpoint);
const model = chatModel(tiny, { temperature: 0, maxTokens: 48 });
const { signal } = new AbortController();

const ask = (conversations: readonly (readonly Message[])[]): Promise<readonly string[]> =>
  Promise.all(
    conversations.map(async (messages) => (await model({ messages, signal })).message.content),
  );

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`.padStart(9);

console.log(`${"opponent".padEnd(16)}     win      draw      loss   invalid  lines  lost  detours`);
for (const [rival, tally] of Object.entries(await walk(ask, { opponents: exactOpponents }))) {
  const { win, draw, loss, invalid, lines, losingLines, missedWins } = tally;
  const shares = [win, draw, loss, invalid].map(percent).join(" ");
  const counts = [lines, losingLines.length, missedWins.length].map((n) => String(n).padStart(6));
  console.log(`${rival.padEnd(16)}${shares}${counts.join(" ")}`);
}

const { positions, keepsValue, shortestWin, invalid, evenShapes } = await probe(ask);
console.log(`\nin each of ${positions} single positions:`);
console.log(`  the move keeps the value of the position  ${percent(keepsValue)}`);
console.log(`  the shortest way to a forced win is taken ${percent(shortestWin)}`);
console.log(`  the move is invalid                       ${percent(invalid)}`);
console.log(`  symmetric boards get equivalent moves     ${percent(evenShapes)}`);

console.log(`\nwith wordings and drawings that no training uses, against the optimal opponent:`);
for (const [name, { shares, note }] of Object.entries(await exactFigures(model))) {
  if (!name.startsWith("optimal, ")) continue;
  console.log(`${name.slice(9)}\n  draws ${percent(shares["draw"] ?? 0)}; ${note}`);
}
await tiny.close();
