import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { messageOf } from "@envs/core/engine";
import type { Machine, MachineProvider } from "@envs/machine";

import type { VerifierConfig } from "../task/config.ts";
import { withHostVariables } from "../task/host-variables.ts";
import type { HarborTask, TaskStep } from "../task/task.ts";
import { artifactsOf, collectArtifacts, containerOf, placeArtifacts } from "./artifacts.ts";
import {
  type MachineContext,
  machineOptions,
  networkOf,
  restrictsNetwork,
} from "./machine-options.ts";
import { readRewards, type Rewards } from "./rewards.ts";
import { withFolder } from "./with-folder.ts";

/** The machine that the agent leaves, and its task. */
export interface Graded {
  readonly task: HarborTask;
  readonly step: TaskStep;
  readonly machine: Machine;
}

/** Where the tests run: in the agent's machine, whose processes have ended, or in a new one that has the declared artifacts. */
export type Grading = "same" | "fresh";

export interface GradeOptions extends MachineContext {
  readonly provider: MachineProvider;
  readonly grading: Grading;
  /** Receives a folder with the collected artifacts before they are graded. */
  readonly onArtifacts?: ((folder: string) => Promise<void>) | undefined;
}

/** What a grader wrote, and the end of what it printed. */
export interface Grade {
  readonly rewards: Rewards;
  readonly log: string;
}

const maxLog = 2000;
const paths = { tests: "/tests", logs: "/logs/verifier" };

/**
 * Grades a step after its agent has stopped: its processes end before the tests come. The tests run in a new machine if the task
 * asks for a separate one, or if the mode is `fresh` and the task declares artifacts. Throws if the grader failed.
 */
export async function grade(graded: Graded, options: GradeOptions): Promise<Grade> {
  const { task, step, machine } = graded;
  const verifier = verifierOf(task, step);
  const { signal, grading, onArtifacts } = options;
  for (const { command, service, timeout_sec: limit, user } of verifier.collect)
    await containerOf(machine, service).exec(command, { user, timeoutMs: limit * 1000, signal });
  const artifacts = artifactsOf(task, step);
  const isSeparate = verifier.environment_mode === "separate" || verifier.environment !== undefined;
  const isFresh = isSeparate || (grading === "fresh" && artifacts.length > 0);
  const gradeHere = async (): Promise<Grade> => {
    await machine.restart();
    return await runTests(graded, verifier, options);
  };
  if (!isFresh && onArtifacts === undefined) return await gradeHere();
  return await withFolder(async (folder) => {
    const stage = join(folder, "artifacts");
    await mkdir(stage);
    await collectArtifacts(artifacts, machine, stage);
    await onArtifacts?.(folder);
    return isFresh ? await gradeArtifacts(graded, stage, options) : await gradeHere();
  });
}

/** Grades collected artifacts in a new machine. Throws if the grader failed. */
export async function gradeArtifacts(
  { task, step }: Pick<Graded, "task" | "step">,
  stage: string,
  options: Omit<GradeOptions, "grading">,
): Promise<Grade> {
  const verifier = verifierOf(task, step);
  const config = verifier.environment ?? task.config.environment;
  const folder = join(task.folder, verifier.environment === undefined ? "environment" : "tests");
  await using machine = await options.provider.create({
    ...machineOptions(config, folder, options, restrictsNetwork(task.config)),
    // The agent's machine waits for it.
    isUrgent: true,
  });
  await placeArtifacts(artifactsOf(task, step), machine, stage);
  return await runTests({ task, step, machine }, verifier, options);
}

/** The verifier of a step: its own fields over those of the task. */
export function verifierOf({ config }: HarborTask, { name }: TaskStep): VerifierConfig {
  const own = config.steps?.find((step) => step.name === name)?.verifier;
  if (own === undefined) return config.verifier;
  return {
    ...config.verifier,
    ...own,
    env: { ...config.verifier.env, ...own.env },
    timeout_sec: own.timeout_sec ?? config.verifier.timeout_sec,
    user: own.user ?? config.verifier.user,
    collect: [...config.verifier.collect, ...own.collect],
  };
}

/** Copies the tests, runs them and reads their reward. Removes what the agent put in their places. */
async function runTests(
  { task, step, machine }: Graded,
  verifier: VerifierConfig,
  { host, signal }: MachineContext,
): Promise<Grade> {
  const { tests, logs } = paths;
  const cleared = await machine.exec(
    `rm -rf ${tests} ${logs} && mkdir -p ${logs} && chmod 777 ${logs}`,
    { user: "root", signal },
  );
  if (cleared.exitCode !== 0)
    throw new Error(`The places of the grader cannot be cleared: ${cleared.stderr}`);
  await machine.setNetwork(networkOf(verifier) ?? networkOf(task.config.environment) ?? "public");
  for (const folder of step.tests) await machine.copyIn(folder, tests);
  const { timeout_sec: limit, user, env } = verifier;
  const run = await machine.exec(["bash", `${tests}/test.sh`], {
    user,
    env: withHostVariables(env, host, task.folder),
    timeoutMs: limit * 1000,
    signal,
  });
  const log = (run.stdout + run.stderr).slice(-maxLog);
  if (run.timedOut) throw new Error(`The grader did not end within ${limit} s.\n${log}`);
  const file = async (name: string): Promise<string | undefined> =>
    machine
      .read(`${logs}/${name}`, { maxBytes: 2 ** 20 })
      .then((bytes) => Buffer.from(bytes).toString("utf8"))
      .catch(() => undefined);
  try {
    const files = { json: await file("reward.json"), text: await file("reward.txt") };
    return { rewards: readRewards(files), log };
  } catch (error) {
    throw new Error(`${messageOf(error)} test.sh ended with ${run.exitCode}:\n${log}`, {
      cause: error,
    });
  }
}
