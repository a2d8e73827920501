import type { EnvironmentManifest } from "@envs/hub-client";

/**
 * What an environment needs: `judge` if a score or its own code asks a model, `node` if it does not run in browsers, `sandbox` if it
 * runs code of a model, `sub-model` if its hooks ask one.
 */
export function needsOf({
  bundle,
  scores,
  requires = [],
  subModel,
}: Pick<EnvironmentManifest, "bundle" | "scores" | "requires" | "subModel">): string[] {
  const isNodeOnly = bundle !== undefined && "problem" in bundle;
  const callsModels = bundle !== undefined && "callsModels" in bundle && bundle.callsModels;
  const isJudged = scores.some(({ needs }) => needs?.includes("judge") === true);
  return [
    ...(isNodeOnly ? ["node"] : []),
    ...(callsModels || isJudged ? ["judge"] : []),
    ...(requires.length > 0 ? ["sandbox"] : []),
    ...(subModel === undefined ? [] : ["sub-model"]),
  ];
}

/**
 * The protocols over which trainers can use an environment. Trainers over OpenEnv and ORS request the reward of one rollout
 * at a time, so they cannot use weighted scores that compare a group; over OpenEnv, models reply with text.
 */
export function protocolsOf({
  scores,
  tools,
}: Pick<EnvironmentManifest, "scores" | "tools">): string[] {
  const isGrouped = scores.some(({ isGroup, weight }) => isGroup && weight !== 0);
  return [
    "nemo-gym",
    ...(isGrouped ? [] : ["ors"]),
    ...(isGrouped || tools.length > 0 ? [] : ["openenv"]),
  ];
}
