import { spawn } from "node:child_process";
import { once } from "node:events";

import { FailureError } from "./terminal/errors.ts";

/** Runs another command of this command line in a folder. Its output goes to stderr. */
export async function runEnvs(folder: string, words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...words], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0)
    throw new FailureError(`envs ${words.join(" ")} failed in ${folder}; see its output above.`);
}
