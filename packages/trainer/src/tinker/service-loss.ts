import { ConfigError } from "@envs/core";

import { lossDefaults, type LossSettings } from "../algorithms/loss-settings.ts";

/** A loss in the service's words. Its thresholds bound the ratio itself; they are not distances from 1. */
export interface ServiceLoss {
  readonly loss_fn: "cross_entropy" | "importance_sampling" | "ppo" | "cispo";
  readonly loss_fn_config?: {
    readonly clip_low_threshold: number;
    readonly clip_high_threshold: number;
  };
}

/** Says a loss in the service's words. Throws a `ConfigError` that names what it cannot say. */
export function serviceLoss(settings: LossSettings): ServiceLoss {
  const problems = problemsOf(settings);
  if (problems.length > 0)
    throw new ConfigError(
      `A Tinker-compatible service cannot compute this ${settings.name} loss:`,
      problems.map((message) => ({ path: [], message })),
    );
  switch (settings.name) {
    case "cross_entropy":
    case "importance_sampling":
      return { loss_fn: settings.name };
    case "cispo":
      return {
        loss_fn: "cispo",
        loss_fn_config: {
          clip_low_threshold: 0,
          clip_high_threshold: settings.epsilonHigh ?? lossDefaults.cispoCap,
        },
      };
    case "clip": {
      const { epsilonLow = lossDefaults.epsilonLow, epsilonHigh = epsilonLow } = settings;
      return {
        loss_fn: "ppo",
        loss_fn_config: {
          clip_low_threshold: 1 - epsilonLow,
          clip_high_threshold: 1 + epsilonHigh,
        },
      };
    }
  }
}

function problemsOf(settings: LossSettings): string[] {
  if (settings.name === "cross_entropy") return [];
  const problems: string[] = [];
  const { klCoefficient = 0, entropyCoefficient = 0 } = settings;
  if (klCoefficient !== 0)
    problems.push("klCoefficient: it has no KL term. Set it to 0, and keep the learning rate low.");
  if (entropyCoefficient !== 0)
    problems.push("entropyCoefficient: it reports no entropy. Set it to 0.");
  if (settings.name !== "clip") return problems;
  if (settings.delta !== undefined) problems.push("delta: it has no second bound. Leave it out.");
  if (settings.dualClip !== undefined)
    problems.push("dualClip: it has no such bound. Leave it out.");
  if (settings.importanceLevel === "sequence")
    problems.push("importanceLevel: its ratios are those of tokens. Use token.");
  return problems;
}
