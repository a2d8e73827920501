import type { Random } from "@envs/core";

/** Wrong ways to name a move. */
const forms: readonly ((move: string) => string)[] = [
  (move) => `I take ${move}.`,
  (move) => `My move is ${move}.`,
  (move) => `Position ${move}.`,
  (move) => `X at ${move}.`,
  (move) => `<move>${move}`,
  (move) => `<think>${move}</think>`,
];

const smallTalk = [
  "It is my turn.",
  "Let me think.",
  "Three marks in a row win.",
  "That is a nice game.",
  "The board has nine positions.",
];

/** How often a reply has thoughts and move as they were asked for, how often the move alone is right. */
const odds = { asAsked: 0.25, moveOnly: 0.6 };
/** How often the number is any at all. */
const carelessness = 0.1;

/** Says a move as someone might who has hardly read what was asked for. */
export function babble(move: string, dice: Random): string {
  const said = dice.next() < carelessness ? String(dice.int(9)) : move;
  const way = dice.next();
  if (way < odds.asAsked) return `<think>${dice.pick(smallTalk)}</think>\n<move>${said}</move>`;
  if (way < odds.asAsked + odds.moveOnly) return `<move>${said}</move>`;
  return dice.pick(forms)(said);
}
