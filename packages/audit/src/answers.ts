import type { Example } from "@envs/core";

import type { Leaf } from "./leaves.ts";
import { type Players, rewardOf } from "./play.ts";
import { type Case, rewardIn } from "./subject.ts";

/** The leaves that the reward depends on, of some: if one changes, the replies of the best rollout earn less. */
export async function answerLeaves(
  players: Players,
  { keyed, best }: Case,
  leaves: readonly Leaf[],
): Promise<readonly Leaf[]> {
  const bearing: Leaf[] = [];
  for (const leaf of leaves) {
    const changed = { ...keyed, example: withLeaf(keyed.example, leaf) };
    const reward = await rewardOf(players, changed, best.completion);
    if (reward !== null && reward < rewardIn(best) - 1e-9) bearing.push(leaf);
  }
  return bearing;
}

function withLeaf(example: Example, { path, text }: Leaf): Example {
  const copy = structuredClone(example) as unknown as Record<string, unknown>;
  let holder = copy;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  const key = path.at(-1)!;
  holder[key] = typeof holder[key] === "number" ? holder[key] + 1 : otherWord(text);
  return copy as unknown as Example;
}

/** A text of the same length and alphabet, so that environments still accept it where they can. */
function otherWord(text: string): string {
  const other = text.replaceAll(/[a-z0-9]/gi, (letter) =>
    letter === "z"
      ? "a"
      : letter === "Z"
        ? "A"
        : letter === "9"
          ? "0"
          : String.fromCharCode(letter.charCodeAt(0) + 1),
  );
  return other === text ? `${text}x` : other;
}
