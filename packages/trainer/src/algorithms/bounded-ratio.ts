import { lossDefaults, type ClipSettings, type PolicyLossSettings } from "./loss-settings.ts";

/** From a ratio ρ and an advantage A to the ratio that the objective counts. */
export type BoundedRatio = (ratio: number, advantage: number) => number;

/**
 * How a policy loss bounds ρ. Every one of them is `−bounded(ρ, A) · A`, times logπ for CISPO; where the bound has
 * replaced ρ, the gradient is 0 (CISPO: the weight stays).
 */
export function boundedRatio(settings: PolicyLossSettings): BoundedRatio {
  switch (settings.name) {
    case "importance_sampling":
      return (ratio) => ratio;
    case "cispo": {
      const { epsilonHigh = lossDefaults.cispoCap } = settings;
      return (ratio) => Math.min(ratio, epsilonHigh);
    }
    case "clip":
      return clippedRatio(settings);
  }
}

/**
 * min(ρA, clip(ρ)A) divided by A: the smaller factor of a positive advantage, the greater one of a negative one. `delta`
 * bounds the first factor (TRL), `dualClip` the result for negative advantages (verl).
 */
function clippedRatio(settings: ClipSettings): BoundedRatio {
  const { epsilonLow = lossDefaults.epsilonLow } = settings;
  const { epsilonHigh = epsilonLow, delta = Infinity, dualClip = Infinity } = settings;
  const low = 1 - epsilonLow;
  const high = 1 + epsilonHigh;
  return (ratio, advantage) => {
    const first = Math.min(ratio, delta);
    const second = Math.min(Math.max(ratio, low), high);
    return advantage < 0 ? Math.min(Math.max(first, second), dualClip) : Math.min(first, second);
  };
}
