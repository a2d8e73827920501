import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { parse } from "smol-toml";
import * as z from "zod";

import { taskConfig, type TaskConfig } from "./config.ts";

/** One instruction of a task and its grader. A task without `steps` has one step without a name. */
export interface TaskStep {
  readonly name: string | undefined;
  readonly instruction: string;
  /** The folders whose files are its tests, the later over the earlier. */
  readonly tests: readonly string[];
  /** The folder with `solve.sh`; `undefined` if the task lacks one. */
  readonly solution: string | undefined;
  /** The folder whose files are staged into the working directory before the step. */
  readonly workdir: string | undefined;
}

/** A task of Harbor: a folder with `task.toml`, an instruction, an environment and tests. */
export interface HarborTask {
  /** Absolute. */
  readonly folder: string;
  /** As `task.toml` or the folder names it. */
  readonly name: string;
  readonly config: TaskConfig;
  /** The file of a conversation before the task, in ATIF; `undefined` without one. */
  readonly trajectory: string | undefined;
  /** At least one. */
  readonly steps: readonly TaskStep[];
}

/** Reads the task in a folder. Throws a `ConfigError` that names what is missing or invalid. */
export function readTask(folder: string): HarborTask {
  const config = readConfig(folder);
  const steps = (config.steps ?? []).map(({ name }) => readStep(folder, name));
  return {
    folder,
    name: config.task?.name ?? basename(folder),
    config,
    trajectory: existsSync(join(folder, "trajectory.json"))
      ? join(folder, "trajectory.json")
      : undefined,
    steps: steps.length === 0 ? [readStep(folder, undefined)] : steps,
  };
}

function readConfig(folder: string): TaskConfig {
  const file = join(folder, "task.toml");
  let table: unknown;
  try {
    table = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError(`Cannot read ${file}: ${messageOf(error)}`, [], { cause: error });
  }
  const parsed = taskConfig.safeParse(table);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${file} is not a task of Harbor:\n${z.prettifyError(parsed.error)}`);
}

function readStep(folder: string, name: string | undefined): TaskStep {
  const own = name === undefined ? folder : join(folder, "steps", name);
  const file = join(own, "instruction.md");
  if (!existsSync(file)) throw new ConfigError(`The task ${folder} lacks ${file}.`);
  const tests = [...new Set([join(folder, "tests"), join(own, "tests")])].filter((path) =>
    existsSync(path),
  );
  if (!tests.some((path) => existsSync(join(path, "test.sh"))))
    throw new ConfigError(`The task ${folder} lacks ${join(own, "tests/test.sh")}.`);
  const solutions = [join(own, "solution"), join(folder, "solution")];
  return {
    name,
    instruction: readFileSync(file, "utf8"),
    tests,
    solution: solutions.find((path) => existsSync(join(path, "solve.sh"))),
    workdir:
      name !== undefined && existsSync(join(own, "workdir")) ? join(own, "workdir") : undefined,
  };
}
