import type { KeyedExample } from "../dataset/example.ts";
import type { Environment } from "../definition/environment.ts";
import { episode, type Episode } from "../episode/episode.ts";
import { canonicalJson } from "../json.ts";
import { assistantMessage } from "../message/message.ts";
import { random } from "../random.ts";

/** The maximum number of choices that are tried in one position. */
const maxTried = 16;

/**
 * Plays each example with random choices, and in each position tries its choices in copies of the episode. Resolves to the
 * first problem: an empty list before the end, an illegal or repeated choice, or a board that does not fit.
 */
export async function choiceProblem(
  environment: Environment,
  rows: readonly KeyedExample[],
): Promise<string | undefined> {
  for (const { example, key } of rows) {
    const dice = random("choices", key);
    const replies: string[] = [];
    const main = episode(environment, example, { key });
    try {
      for (let { isDone } = await main.start(); !isDone;) {
        const choices = await listChoices(main);
        const problem =
          positionProblem(choices, await boardReplies(main)) ??
          (await rejected(environment, { example, key, replies, choices }));
        if (problem !== undefined) return `${problem} (example ${key}, turn ${replies.length + 1})`;
        const reply = dice.pick(choices);
        replies.push(reply);
        ({ isDone } = await main.step(assistantMessage(reply)));
      }
      await main.board();
    } finally {
      await main.close();
    }
  }
  return undefined;
}

/** Resolves to a problem if `respond` accepts a reply that is not legal in the first position. */
export async function acceptedNonsense(
  environment: Environment,
  { example, key }: KeyedExample,
): Promise<string | undefined> {
  const main = episode(environment, example, { key });
  try {
    if ((await main.start()).isDone) return undefined;
    const before = canonicalJson(await listChoices(main));
    const { isDone, isInvalid } = await main.step(assistantMessage(""));
    if (isDone) return undefined;
    if (isInvalid !== true)
      return "respond accepts an empty reply, which is not a choice: return invalid(…) for it, or end()";
    return before === canonicalJson(await listChoices(main))
      ? undefined
      : "an empty reply changes the choices, although respond returned invalid(…) for it";
  } finally {
    await main.close();
  }
}

interface TriedPosition extends Pick<KeyedExample, "example" | "key"> {
  readonly replies: readonly string[];
  readonly choices: readonly string[];
}

async function rejected(
  environment: Environment,
  { example, key, replies, choices }: TriedPosition,
): Promise<string | undefined> {
  const tried = random("tried", key, replies.length).shuffle(choices).slice(0, maxTried);
  for (const reply of tried) {
    const copy = episode(environment, example, { key });
    try {
      await copy.start();
      for (const earlier of replies) await copy.step(assistantMessage(earlier));
      const { isInvalid } = await copy.step(assistantMessage(reply));
      if (isInvalid === true) return `respond rejects the choice ${JSON.stringify(reply)}`;
    } finally {
      await copy.close();
    }
  }
  return undefined;
}

function positionProblem(
  choices: readonly string[],
  onBoard: readonly string[],
): string | undefined {
  if (choices.length === 0) return "choices is empty, but the episode has not ended";
  const repeated = choices.find((reply, index) => choices.indexOf(reply) < index);
  if (repeated !== undefined) return `choices has ${JSON.stringify(repeated)} twice`;
  const foreign = onBoard.find((reply) => !choices.includes(reply));
  return foreign && `a square of the board plays ${JSON.stringify(foreign)}, which is not a choice`;
}

async function listChoices(main: Episode): Promise<readonly string[]> {
  return ((await main.choices()) ?? []).map(({ reply }) => reply);
}

async function boardReplies(main: Episode): Promise<readonly string[]> {
  const board = await main.board();
  return (board?.rows.flat() ?? []).flatMap(({ reply }) => (reply === undefined ? [] : [reply]));
}
