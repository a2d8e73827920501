import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { ScoredRollout } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type { MachineProvider } from "@envs/machine";
import { trialReward } from "@envs/records";

import { feedbackOf } from "../feedback.ts";
import type { HarborTask } from "../task/task.ts";
import { gradeArtifacts } from "../trial/grade.ts";
import { unpackStored } from "../trial/stored-artifacts.ts";
import { withFolder } from "../trial/with-folder.ts";

/** What the present tests of a task say of a stored rollout, or why they cannot grade it. */
export type Regraded =
  | { readonly score: number; readonly feedback: string }
  | { readonly problem: string };

export interface RegradeOptions {
  readonly provider: MachineProvider;
  /** The folder of this computer with stored artifacts. */
  readonly store: string;
  readonly signal: AbortSignal;
}

/** Runs the tests of a task on the artifacts that a rollout stored, in a new machine and without the agent. */
export async function regrade(
  task: HarborTask | undefined,
  { completion }: Pick<ScoredRollout, "completion">,
  { provider, store, signal }: RegradeOptions,
): Promise<Regraded> {
  if (task === undefined) return { problem: "Its task is not in this place." };
  if (task.steps.length > 1)
    return { problem: "Its task has several steps, and their grades need the machine of each." };
  return await withFolder(async (folder) => {
    const stage = join(folder, "artifacts");
    await mkdir(stage);
    try {
      const problem = await unpackStored(completion, store, stage);
      if (problem !== undefined) return { problem };
      const options = { provider, host: process.env, signal };
      const step = task.steps[0]!;
      const { rewards, log } = await gradeArtifacts({ task, step }, stage, options);
      const score = trialReward(rewards);
      return { score, feedback: feedbackOf(rewards, score < 1 ? log : "") };
    } catch (error) {
      signal.throwIfAborted();
      return { problem: messageOf(error) };
    }
  });
}
