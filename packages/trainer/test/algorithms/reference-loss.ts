import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import type { Datum, Forward } from "../../src/backend.ts";

/**
 * A plain implementation of the losses as in the papers, without derivatives. The gradient flows through `live`; `frozen`
 * has the same numbers for stop-gradient terms.
 */
export function referenceLoss(
  settings: LossSettings,
  datum: Datum,
  { live, frozen }: { live: number[]; frozen: number[] },
  entropies: number[] = [],
): number {
  const trained = live.map((_, index) => index).filter((index) => datum.weights[index] !== 0);
  const total = (terms: number[]): number => terms.reduce((sum, term) => sum + term, 0);
  if (settings.name === "cross_entropy")
    return total(trained.map((index) => -datum.weights[index]! * live[index]!));

  const sampled = datum.samplingLogprobs!;
  const old = datum.oldLogprobs ?? sampled;
  const clamp = (low: number, value: number, high: number): number =>
    value < low ? low : value > high ? high : value;

  const ratioOf = (index: number, logprobs: number[]): number =>
    settings.name === "clip" && settings.importanceLevel === "sequence"
      ? total(trained.map((other) => logprobs[other]! - old[other]!)) / trained.length
      : logprobs[index]! - old[index]!;

  const objective = (index: number): number => {
    const advantage = datum.advantages![index]!;
    const ratio = Math.exp(ratioOf(index, live));
    if (settings.name === "importance_sampling") return ratio * advantage;
    if (settings.name === "sapo") {
      const [positive, negative] = [
        settings.positiveTemperature ?? 1,
        settings.negativeTemperature ?? 1.05,
      ];
      const temperature = advantage > 0 ? positive : negative;
      return ((4 / temperature) * advantage) / (1 + Math.exp(-temperature * (ratio - 1)));
    }
    if (settings.name === "cispo") {
      const weight = clamp(0, Math.exp(ratioOf(index, frozen)), settings.epsilonHigh ?? 5);
      return weight * advantage * live[index]!;
    }
    const low = settings.epsilonLow ?? 0.2;
    const clipped = clamp(1 - low, ratio, 1 + (settings.epsilonHigh ?? low)) * advantage;
    const bounded = clamp(0, ratio, settings.delta ?? Number.MAX_VALUE) * advantage;
    const smaller = bounded < clipped ? bounded : clipped;
    if (settings.dualClip === undefined || advantage >= 0) return smaller;
    return smaller > settings.dualClip * advantage ? smaller : settings.dualClip * advantage;
  };

  return total(
    trained.map((index) => {
      const mode = settings.importanceCorrection ?? "token_truncate";
      const compared = mode.startsWith("sequence") ? trained : [index];
      const uncapped = Math.exp(total(compared.map((other) => old[other]! - sampled[other]!)));
      const cap = settings.importanceCap ?? 3;
      const correction =
        datum.oldLogprobs === undefined || uncapped <= cap
          ? uncapped
          : mode.endsWith("mask")
            ? 0
            : cap;
      const reference = datum.referenceLogprobs?.[index] ?? live[index]!;
      const distance = reference - live[index]!;
      const k3 = Math.exp(distance) - distance - 1;
      return (
        datum.weights[index]! *
        (-correction * objective(index) +
          (settings.klCoefficient ?? 0) * Math.exp(live[index]! - old[index]!) * k3 -
          (settings.entropyCoefficient ?? 0) * (entropies[index] ?? 0))
      );
    }),
  );
}

/** The gradient of {@link referenceLoss} by finite differences. */
export function referenceGradient(
  settings: LossSettings,
  datum: Datum,
  forward: Forward,
): number[] {
  const frozen = [...forward.logprobs];
  const entropies = [...(forward.entropies ?? [])];
  const step = 1e-5;
  return frozen.map((_, moved) => {
    const at = (shift: number): number => {
      const live = frozen.map((logprob, index) => (index === moved ? logprob + shift : logprob));
      return referenceLoss(settings, datum, { live, frozen }, entropies);
    };
    return (at(step) - at(-step)) / (2 * step);
  });
}
