import type { Rewards } from "./trial/rewards.ts";

/** The rewards, and the log of a grader that is not content. */
export function feedbackOf(rewards: Rewards, log: string): string {
  return [JSON.stringify(rewards), log.trim()].filter((part) => part !== "").join("\n");
}
