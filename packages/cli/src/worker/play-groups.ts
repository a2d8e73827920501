import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { type Environment, type Rollout, rollouts, type RolloutsOptions } from "@envs/core";

import { createGroupRecord } from "./group-record.ts";

/** Plays rollouts and, if `file` is set, appends each group to it once the group is complete. Stops at a fatal error. */
export async function playGroups(
  environment: Environment,
  options: RolloutsOptions,
  file: string | undefined,
): Promise<readonly Rollout[]> {
  if (file !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
  }
  const write = async (group: readonly Rollout[]): Promise<void> => {
    if (file !== undefined) await appendFile(file, `${JSON.stringify(createGroupRecord(group))}\n`);
  };
  const all: Rollout[] = [];
  const openGroups = new Map<string, Rollout[]>();
  for await (const rollout of rollouts(environment, options)) {
    all.push(rollout);
    const { exampleKey } = rollout;
    const group = [...(openGroups.get(exampleKey) ?? []), rollout];
    openGroups.set(exampleKey, group);
    if (group.length === options.rolloutsPerExample) {
      openGroups.delete(exampleKey);
      await write(group);
    }
    // All other rollouts would fail the same way.
    if (rollout.status === "failed" && rollout.error.isFatal) break;
  }
  for (const group of openGroups.values()) await write(group);
  return all;
}
