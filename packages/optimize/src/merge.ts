import type { Random } from "@envs/core";

import type { Candidate } from "./candidate.ts";
import type { Prompts } from "./prompts.ts";

/** Two candidates and their merged prompts. */
export interface Merge {
  readonly first: Candidate;
  readonly second: Candidate;
  readonly prompts: Prompts;
}

/**
 * Merges two candidates of the front that improved different prompts of a common ancestor: takes each prompt from the one that changed
 * it, and from the better one where both did. `undefined` if no pair complements each other. Source: Agrawal et al. 2025, algorithm 4.
 */
export function proposeMerge(
  candidates: readonly Candidate[],
  front: readonly Candidate[],
  { random, isKnown }: { readonly random: Random; readonly isKnown: (prompts: Prompts) => boolean },
): Merge | undefined {
  const pairs = front.flatMap((first, index) =>
    front.slice(index + 1).map((second) => [first, second] as const),
  );
  for (const [first, second] of random.shuffle(pairs)) {
    const ancestor = commonAncestor(candidates, first, second);
    if (ancestor === undefined) continue;
    const prompts = combine(ancestor, first, second);
    if (prompts !== undefined && !isKnown(prompts)) return { first, second, prompts };
  }
  return undefined;
}

/** The latest common ancestor that is neither of the two, and not better than either. */
function commonAncestor(
  candidates: readonly Candidate[],
  first: Candidate,
  second: Candidate,
): Candidate | undefined {
  const [before, others] = [ancestorsOf(candidates, first), ancestorsOf(candidates, second)];
  if (before.has(second.id) || others.has(first.id)) return undefined;
  return [...before]
    .filter((id) => others.has(id))
    .toSorted((a, b) => b - a)
    .map((id) => candidates[id]!)
    .find(({ mean }) => mean <= first.mean && mean <= second.mean);
}

function ancestorsOf(
  candidates: readonly Candidate[],
  { parents }: Candidate,
): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [...parents];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...candidates[id]!.parents);
  }
  return found;
}

function combine(ancestor: Candidate, first: Candidate, second: Candidate): Prompts | undefined {
  const better = second.mean > first.mean ? second : first;
  const taken = Object.keys(ancestor.prompts).map((name) => {
    const [base, one, other] = [ancestor, first, second].map(({ prompts }) => prompts[name]);
    if (one === base) return { name, from: second, isChanged: other !== base };
    if (other === base) return { name, from: first, isChanged: true };
    return { name, from: better, isChanged: false };
  });
  const contributes = (candidate: Candidate): boolean =>
    taken.some(({ from, isChanged }) => isChanged && from === candidate);
  if (!contributes(first) || !contributes(second)) return undefined;
  return Object.fromEntries(taken.map(({ name, from }) => [name, from.prompts[name]!]));
}
