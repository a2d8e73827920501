import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { type Environment, type Rollout, rollouts, type RolloutsOptions } from "@envs/core";

import { groupRecord } from "./group-record.ts";

/** Plays all, and writes each group to a file, if there is one, when its last rollout is there. */
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
    if (file !== undefined) await appendFile(file, `${JSON.stringify(groupRecord(group))}\n`);
  };
  const all: Rollout[] = [];
  const open = new Map<string, Rollout[]>();
  for await (const rollout of rollouts(environment, options)) {
    all.push(rollout);
    const { exampleKey } = rollout;
    const group = [...(open.get(exampleKey) ?? []), rollout];
    open.set(exampleKey, group);
    if (group.length === options.rolloutsPerExample) {
      open.delete(exampleKey);
      await write(group);
    }
    // Every other rollout would fail the same way.
    if (rollout.status === "failed" && rollout.error.isFatal) break;
  }
  for (const group of open.values()) await write(group);
  return all;
}
