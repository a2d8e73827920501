import type { Random } from "@envs/core";

/** Wrong formats for a move. */
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

/** The probabilities of a fully formatted reply and of a reply with only the move's tags. */
const probability = { fullFormat: 0.25, moveOnly: 0.6 };
/** The probability that the number is random. */
const randomMoveProbability = 0.1;

/** Writes a move as a player who mostly ignores the requested format. */
export function babble(move: string, random: Random): string {
  const number = random.next() < randomMoveProbability ? String(random.int(9)) : move;
  const draw = random.next();
  if (draw < probability.fullFormat)
    return `<think>${random.pick(smallTalk)}</think>\n<move>${number}</move>`;
  if (draw < probability.fullFormat + probability.moveOnly) return `<move>${number}</move>`;
  return random.pick(forms)(number);
}
