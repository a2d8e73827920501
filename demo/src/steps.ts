import { readFile, writeFile } from "node:fs/promises";

import { shellCommand } from "@envs/cli/kit";
import * as z from "zod";

/** Does the work of a command and prints its name, unless an earlier start has finished it. */
export type Step = (command: readonly string[], work: () => Promise<void>) => Promise<void>;

/** Stores finished steps in a file. */
export async function stepsIn(file: string): Promise<Step> {
  const finished = new Set(await readNames(file));
  return async (command, work) => {
    const name = shellCommand(["envs", ...command]);
    if (finished.has(name)) return;
    process.stdout.write(`  ${name}\n`);
    await work();
    finished.add(name);
    await writeFile(file, JSON.stringify([...finished], undefined, 2));
  };
}

async function readNames(file: string): Promise<readonly string[]> {
  try {
    return z.array(z.string()).parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return [];
  }
}
