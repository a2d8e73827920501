import { evaluate, policy, type Rollout } from "@envs/core";
import type { MachineProvider } from "@envs/machine";

import { harbor } from "../harbor.ts";
import { obstaclesOf } from "../task/obstacles.ts";
import type { HarborTask } from "../task/task.ts";

/** A fault of a task, and the end of the log that shows it. */
export interface TaskProblem {
  /** The rule of an audit that the task breaks. */
  readonly rule: "play-fails" | "oracle-fails" | "nop-earns" | "flaky-grading";
  readonly problem: string;
  readonly log: string;
}

/** What the oracle and the nop earned of a task. */
export interface TaskCheck {
  readonly task: string;
  readonly folder: string;
  /** Why it cannot run here. Such a task is not played. */
  readonly obstacles: readonly string[];
  /** The reward of each play; `null` if it failed. */
  readonly oracle: readonly (number | null)[];
  readonly nop: readonly (number | null)[];
  readonly problems: readonly TaskProblem[];
  readonly seconds: number;
}

export interface CheckTaskOptions {
  readonly provider: MachineProvider;
  readonly grade?: "same" | "fresh" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Two show whether the grading is stable. */
const plays = 2;

/** Plays the oracle and the nop on a task, twice each: the first must earn 1, the second less, and both the same again. */
export async function checkTask(
  task: HarborTask,
  { provider, grade = "same", signal }: CheckTaskOptions,
): Promise<TaskCheck> {
  const start = performance.now();
  const obstacles = obstaclesOf(task);
  const { name, folder } = task;
  const play = async (player: "oracle" | "nop"): Promise<readonly Rollout[]> => {
    if (obstacles.length > 0) return [];
    const environment = harbor(folder, { provider })({ grade });
    const options = { examples: 1, rolloutsPerExample: plays, concurrency: 1, signal };
    return (await evaluate(environment, { model: policy(player), ...options })).rollouts;
  };
  const oracle = await play("oracle");
  // A task that cannot be built is not built again.
  const nop = oracle.every(isBeforeGrading) ? [] : await play("nop");
  return {
    task: name,
    folder,
    obstacles,
    oracle: oracle.map(rewardOf),
    nop: nop.map(rewardOf),
    problems: [...oracleProblems(oracle), ...nopProblems(nop, oracle)],
    seconds: (performance.now() - start) / 1000,
  };
}

function oracleProblems(rollouts: readonly Rollout[]): readonly TaskProblem[] {
  const rewards = rollouts.map(rewardOf);
  const worst = rollouts.find((rollout) => rewardOf(rollout) !== 1);
  if (worst === undefined) return [];
  if (new Set(rewards).size > 1) return [unstable("oracle", rewards, worst)];
  if (worst.status === "failed") return [failure("oracle", worst)];
  const problem = `The oracle earned ${worst.reward}, not 1.`;
  return [{ rule: "oracle-fails", problem, log: logOf(worst) }];
}

function nopProblems(
  rollouts: readonly Rollout[],
  oracle: readonly Rollout[],
): readonly TaskProblem[] {
  const rewards = rollouts.map(rewardOf);
  const failed = rollouts.find(({ status }) => status === "failed");
  if (new Set(rewards).size > 1) return [unstable("nop", rewards, failed ?? rollouts[0]!)];
  if (failed !== undefined) return [failure("nop", failed)];
  const [reward] = rewards;
  const best = oracle.map(rewardOf)[0] ?? 1;
  if (reward === undefined || reward === null || reward <= 0 || reward < best) return [];
  const problem = `The nop, which does nothing, earned ${reward}.`;
  return [{ rule: "nop-earns", problem, log: logOf(rollouts[0]!) }];
}

function unstable(
  player: string,
  rewards: readonly (number | null)[],
  rollout: Rollout,
): TaskProblem {
  const list = rewards.map((reward) => reward ?? "an error").join(", then ");
  return { rule: "flaky-grading", problem: `The ${player} earned ${list}.`, log: logOf(rollout) };
}

function failure(player: string, rollout: Rollout): TaskProblem {
  const problem = `The play of the ${player} failed.`;
  return { rule: "play-fails", problem, log: logOf(rollout) };
}

function isBeforeGrading(rollout: Rollout): boolean {
  return rollout.status === "failed" && rollout.error.code !== "score";
}

function rewardOf(rollout: Rollout): number | null {
  return rollout.status === "scored" ? rollout.reward : null;
}

/** The error, or what the oracle and the grader said. */
function logOf(rollout: Rollout): string {
  if (rollout.status === "failed") return rollout.error.message;
  const replies = rollout.completion.flatMap(({ role, content }) =>
    role === "assistant" && typeof content === "string" && content !== "Done." ? [content] : [],
  );
  return [...replies, rollout.feedback?.["tests"] ?? ""].join("\n").trim();
}
