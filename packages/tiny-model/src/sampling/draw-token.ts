import type { Random } from "@envs/core";

/** A token, and the log-probability that it was drawn with. */
export interface DrawnToken {
  readonly id: number;
  readonly logprob: number;
}

/** Ties go to the lowest id. */
export function mostProbable(probabilities: Float32Array): DrawnToken {
  let id = 0;
  for (let other = 1; other < probabilities.length; other += 1)
    if (probabilities[other]! > probabilities[id]!) id = other;
  return { id, logprob: Math.log(probabilities[id]!) };
}

/** Draws a token. If `topP` is below 1, draws from the smallest set of most probable tokens with that total probability. */
export function drawToken(probabilities: Float32Array, topP: number, source: Random): DrawnToken {
  const { allowed, mass } = topP < 1 ? nucleus(probabilities, topP) : allTokens(probabilities);
  const threshold = source.next() * mass;
  let sum = 0;
  let last = 0;
  for (let id = 0; id < probabilities.length; id += 1) {
    if (allowed !== undefined && !allowed.has(id)) continue;
    const probability = probabilities[id]!;
    if (probability === 0) continue;
    last = id;
    sum += probability;
    if (sum > threshold) break;
  }
  return { id: last, logprob: Math.log(probabilities[last]! / mass) };
}

function allTokens(probabilities: Float32Array): { allowed: undefined; mass: number } {
  let mass = 0;
  for (const probability of probabilities) mass += probability;
  return { allowed: undefined, mass };
}

function nucleus(
  probabilities: Float32Array,
  topP: number,
): { allowed: Set<number>; mass: number } {
  const order = Array.from(probabilities, (probability, id) => ({ probability, id }));
  order.sort((a, b) => b.probability - a.probability || a.id - b.id);
  const allowed = new Set<number>();
  let mass = 0;
  for (const { probability, id } of order) {
    allowed.add(id);
    mass += probability;
    if (mass >= topP) break;
  }
  return { allowed, mass };
}
