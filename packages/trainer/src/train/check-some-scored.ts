import { ConfigError, type Rollout } from "@envs/core";

/** Throws a `ConfigError` if there are rollouts and all of them failed: training would go on without a result. */
export function checkSomeScored(rollouts: readonly Rollout[], origin: string): void {
  const [first] = rollouts;
  if (first?.status !== "failed" || rollouts.some(({ status }) => status !== "failed")) return;
  const { code, message } = first.error;
  throw new ConfigError(
    `All ${rollouts.length} rollouts of the ${origin} failed. The first failed with ${code}: ${message}`,
  );
}
