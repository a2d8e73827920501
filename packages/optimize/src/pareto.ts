import type { Random } from "@envs/core";

import type { Candidate } from "./candidate.ts";

/** A candidate on the front, with the number of examples on which no other is better. */
interface FrontEntry {
  readonly candidate: Candidate;
  readonly wins: number;
}

/**
 * The Pareto front over examples: the candidates that are best on some example, except those whose examples other candidates all
 * cover. Source: Agrawal et al. 2025, "GEPA: Reflective Prompt Evolution Can Outperform Reinforcement Learning", algorithm 2.
 */
export function paretoFront(candidates: readonly Candidate[]): readonly FrontEntry[] {
  const winners = winnersByExample(candidates);
  const onFront = new Set<number>();
  for (const ids of winners.values()) for (const id of ids) onFront.add(id);
  // Removes weak candidates first, so that the better one of two equivalent candidates stays.
  const weakestFirst = candidates
    .filter(({ id }) => onFront.has(id))
    .toSorted((a, b) => a.mean - b.mean || b.id - a.id);
  for (const { id } of weakestFirst) {
    const isReplaced = [...winners.values()].every(
      (ids) => !ids.has(id) || [...ids].some((other) => other !== id && onFront.has(other)),
    );
    if (isReplaced) onFront.delete(id);
  }
  return candidates.flatMap((candidate) => {
    if (!onFront.has(candidate.id)) return [];
    const wins = [...winners.values()].filter((ids) => ids.has(candidate.id)).length;
    return [{ candidate, wins }];
  });
}

/** Draws a candidate of the front, by the number of examples that it wins. */
export function drawFromFront(front: readonly FrontEntry[], random: Random): Candidate {
  return random.pick(
    front.flatMap(({ candidate, wins }) => Array.from({ length: wins }, () => candidate)),
  );
}

function winnersByExample(
  candidates: readonly Candidate[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const keys = new Set(candidates.flatMap(({ rewards }) => [...rewards.keys()]));
  return new Map(
    [...keys].map((key) => {
      const known = candidates.flatMap(({ id, rewards }) => {
        const reward = rewards.get(key);
        return reward === undefined ? [] : [{ id, reward }];
      });
      const best = Math.max(...known.map(({ reward }) => reward));
      return [key, new Set(known.flatMap(({ id, reward }) => (reward === best ? [id] : [])))];
    }),
  );
}
