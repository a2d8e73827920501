import { ConfigError } from "@envs/core";

import { lossDefaults, type LossSettings } from "../algorithms/loss-settings.ts";

/** A loss, as the service encodes it. The thresholds bound the ratio itself; they are not distances from 1. */
export interface ServiceLoss {
  readonly loss_fn: "cross_entropy" | "importance_sampling" | "ppo" | "gspo" | "cispo";
  readonly loss_fn_config?: {
    readonly clip_low_threshold: number;
    readonly clip_high_threshold: number;
  };
}

/** Encodes a loss for the service. Throws a `ConfigError` that lists the settings that services do not support. */
export function serviceLoss(settings: LossSettings): ServiceLoss {
  const problems = unsupportedSettings(settings);
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
    case "sapo":
      throw new TypeError("unsupportedSettings() lists sapo.");
    case "clip": {
      const { epsilonLow = lossDefaults.epsilonLow, epsilonHigh = epsilonLow } = settings;
      return {
        loss_fn: settings.importanceLevel === "sequence" ? "gspo" : "ppo",
        loss_fn_config: {
          clip_low_threshold: 1 - epsilonLow,
          clip_high_threshold: 1 + epsilonHigh,
        },
      };
    }
  }
}

function unsupportedSettings(settings: LossSettings): string[] {
  if (settings.name === "cross_entropy") return [];
  const problems: string[] = [];
  const { klCoefficient = 0, entropyCoefficient = 0 } = settings;
  if (klCoefficient !== 0)
    problems.push(
      "klCoefficient: services have no KL term. Set it to 0, and use a low learning rate.",
    );
  if (entropyCoefficient !== 0)
    problems.push("entropyCoefficient: services do not report entropy. Set it to 0.");
  if (settings.entropyTarget !== undefined)
    problems.push("entropyTarget: services do not report entropy. Remove it.");
  if ((settings.importanceCorrection ?? "token_truncate") !== "token_truncate")
    problems.push("importanceCorrection: services do not apply it. Remove it.");
  if (settings.name === "sapo")
    problems.push("name: services do not list sapo. Use cispo or clip.");
  if (settings.name !== "clip") return problems;
  if (settings.delta !== undefined)
    problems.push("delta: services have no second bound. Remove it.");
  if (settings.dualClip !== undefined)
    problems.push("dualClip: services have no such bound. Remove it.");
  return problems;
}
