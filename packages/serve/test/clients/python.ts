import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { Environment } from "@envs/core";
import { episode, examples } from "@envs/core/engine";

const run = promisify(execFile);
const scripts = join(import.meta.dirname, "../python");

/** The result of a command, which may have failed. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** The interpreter of the virtual environment of `pnpm test:clients`. */
function python(): string {
  const path = process.env["ENVS_PYTHON"];
  if (path === undefined)
    throw new Error("These tests need Python packages. Run them with pnpm test:clients.");
  return path;
}

/** Runs a script of `test/python`, and parses its last line as JSON. */
export async function runScript(
  name: string,
  args: readonly (string | number)[],
  environment: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { stdout } = await run(python(), [join(scripts, name), ...args.map(String)], {
    env: { ...process.env, PYTHONPATH: scripts, ...environment },
    timeout: 390_000,
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** Runs a command of the virtual environment, in its folder, since some commands write files. */
export async function runCommand(name: string, args: readonly string[]): Promise<CommandResult> {
  const options = {
    cwd: dirname(python()),
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "120" },
    maxBuffer: 2 ** 26,
  };
  try {
    const { stdout } = await run(join(dirname(python()), name), [...args], options);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code?: unknown;
      readonly stdout?: string;
      readonly stderr?: string;
    };
    if (typeof code !== "number") throw error;
    return { code, output: `${stdout}${stderr}` };
  }
}

/** The reward of an episode with these replies, computed by core without a server. */
export async function rewardOf(
  environment: Environment,
  index: number,
  replies: readonly string[],
): Promise<number> {
  let at = 0;
  for await (const { example, key } of examples(environment, { seed: 0 })) {
    if (at++ < index) continue;
    const current = episode(environment, example, { key, seed: 0 });
    await current.start();
    for (const content of replies) await current.step({ role: "assistant", content });
    const { reward } = await current.score();
    await current.close();
    return reward;
  }
  throw new Error(`There is no example ${index}.`);
}
