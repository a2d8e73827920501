import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import type { Datum, Forward } from "../../src/backend.ts";

/**
 * The losses once more, written down from the papers: lists instead of loops, and no derivative anywhere. `live` is what
 * the gradient flows through, `frozen` the same numbers where a formula stops it.
 */
export function slowLoss(
  settings: LossSettings,
  datum: Datum,
  { live, frozen }: { live: number[]; frozen: number[] },
  entropies: number[] = [],
): number {
  const trained = live.map((_, place) => place).filter((place) => datum.weights[place] !== 0);
  const total = (terms: number[]): number => terms.reduce((sum, term) => sum + term, 0);
  if (settings.name === "cross_entropy")
    return total(trained.map((place) => -datum.weights[place]! * live[place]!));

  const sampled = datum.samplingLogprobs!;
  const old = datum.oldLogprobs ?? sampled;
  const clamp = (low: number, value: number, high: number): number =>
    value < low ? low : value > high ? high : value;

  const ratioOf = (place: number, logprobs: number[]): number =>
    settings.name === "clip" && settings.importanceLevel === "sequence"
      ? total(trained.map((other) => logprobs[other]! - old[other]!)) / trained.length
      : logprobs[place]! - old[place]!;

  const objective = (place: number): number => {
    const advantage = datum.advantages![place]!;
    const ratio = Math.exp(ratioOf(place, live));
    if (settings.name === "importance_sampling") return ratio * advantage;
    if (settings.name === "cispo") {
      const weight = clamp(0, Math.exp(ratioOf(place, frozen)), settings.epsilonHigh ?? 5);
      return weight * advantage * live[place]!;
    }
    const low = settings.epsilonLow ?? 0.2;
    const clipped = clamp(1 - low, ratio, 1 + (settings.epsilonHigh ?? low)) * advantage;
    const bounded = clamp(0, ratio, settings.delta ?? Number.MAX_VALUE) * advantage;
    const smaller = bounded < clipped ? bounded : clipped;
    if (settings.dualClip === undefined || advantage >= 0) return smaller;
    return smaller > settings.dualClip * advantage ? smaller : settings.dualClip * advantage;
  };

  return total(
    trained.map((place) => {
      const correction =
        datum.oldLogprobs === undefined
          ? 1
          : clamp(0, Math.exp(old[place]! - sampled[place]!), settings.importanceCap ?? 3);
      const reference = datum.referenceLogprobs?.[place] ?? live[place]!;
      const distance = reference - live[place]!;
      const k3 = Math.exp(distance) - distance - 1;
      return (
        datum.weights[place]! *
        (-correction * objective(place) +
          (settings.klCoefficient ?? 0) * k3 -
          (settings.entropyCoefficient ?? 0) * (entropies[place] ?? 0))
      );
    }),
  );
}

/** The gradient of {@link slowLoss} by finite differences. */
export function slowGradient(settings: LossSettings, datum: Datum, forward: Forward): number[] {
  const frozen = [...forward.logprobs];
  const entropies = [...(forward.entropies ?? [])];
  const step = 1e-5;
  return frozen.map((_, moved) => {
    const at = (shift: number): number => {
      const live = frozen.map((logprob, place) => (place === moved ? logprob + shift : logprob));
      return slowLoss(settings, datum, { live, frozen }, entropies);
    };
    return (at(step) - at(-step)) / (2 * step);
  });
}
