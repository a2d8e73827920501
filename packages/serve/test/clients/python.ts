import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { Environment } from "@envs/core";
import { episode, examples } from "@envs/core/engine";

const run = promisify(execFile);
const scripts = join(import.meta.dirname, "../python");

/** How a program ended that may fail. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Where `pnpm test:clients` has installed the clients. */
function python(): string {
  const path = process.env["ENVS_PYTHON"];
  if (path === undefined)
    throw new Error("These tests need Python packages. Run them with pnpm test:clients.");
  return path;
}

/** Runs a script of `test/python`, and reads the line of JSON with which it ends. */
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

/** Runs a command that a package has installed, where it may leave files. */
export async function runCommand(name: string, args: readonly string[]): Promise<Ended> {
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

/** The reward of an episode in which a model says this: by the library, without a server. */
export async function rewardOf(
  environment: Environment,
  index: number,
  replies: readonly string[],
): Promise<number> {
  let at = 0;
  for await (const { example, key } of examples(environment, { seed: 0 })) {
    if (at++ < index) continue;
    const played = episode(environment, example, { key, seed: 0 });
    await played.start();
    for (const content of replies) await played.step({ role: "assistant", content });
    const { reward } = await played.score();
    await played.close();
    return reward;
  }
  throw new Error(`There is no example ${index}.`);
}
