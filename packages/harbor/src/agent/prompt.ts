import { readFileSync } from "node:fs";

import { ConfigError, type Message } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { isTrajectory, readTrajectory } from "@envs/records";

import type { HarborTask } from "../task/task.ts";
import { skillsOf } from "./skills.ts";

/** What an agent reads first: the conversation before the task, the instruction, and the skills that it may read. */
export function promptOf(task: HarborTask): string | readonly Message[] {
  const { trajectory, steps } = task;
  const skills = skillsOf(task).map(
    ({ name, description, path }) => `- ${name}: ${description} (${path})`,
  );
  const list =
    skills.length === 0
      ? ""
      : `\n\nSkills are instructions for kinds of work. Read the file of one before you do such work:\n${skills.join("\n")}`;
  const instruction = `${steps[0]!.instruction}${list}`;
  if (trajectory === undefined) return instruction;
  return [...priorMessages(trajectory), { role: "user", content: instruction }];
}

/** The messages of an earlier trajectory. Its system prompt was another agent's. */
function priorMessages(file: string): readonly Message[] {
  try {
    const record = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    if (!isTrajectory(record)) throw new Error("it has no schema_version of ATIF");
    const { prompt, completion } = readTrajectory(record).rollout;
    return [...prompt, ...completion].filter(({ role }) => role !== "system");
  } catch (error) {
    throw new ConfigError(`Cannot read ${file}: ${messageOf(error)}`, [], { cause: error });
  }
}
