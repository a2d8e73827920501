import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { importPackage, UsageError } from "@envs/cli/kit";
import type { Agent } from "@envs/gateway";
import type * as Gateway from "@envs/gateway/commands";

import type { TrainingRecord } from "../../node/training-folder.ts";

/** Loads the agent that plays with the trained model, from the module that exports it. */
export async function loadTrainingAgent(file: string): Promise<Agent> {
  if (existsSync(resolve(file))) {
    const { importAgent } = await importPackage<typeof Gateway>("gateway/commands", "--agent");
    return importAgent(file);
  }
  throw new UsageError(
    `There is no file ${file}. Pass --agent the module of the agent, such as ./my-agent.ts. The trained model answers its calls.`,
  );
}

/** The agent of a run that is resumed. Throws a `UsageError` for another agent, because the agent determines the weights. */
export function resumedAgent(
  requested: string | undefined,
  record: Pick<TrainingRecord, "agent"> | undefined,
): string | undefined {
  if (record === undefined) return requested;
  if (requested === undefined || requested === record.agent) return record.agent;
  throw new UsageError(
    `Cannot resume with --agent ${requested}: the run has ${record.agent ?? "no agent"}, which determines the weights. Remove --agent.`,
  );
}
