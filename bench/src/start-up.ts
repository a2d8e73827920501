import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { best, type Figure } from "./figure.ts";

const bin = join(import.meta.dirname, "../../packages/cli/src/bin.ts");

function measureRun(args: readonly string[]): Promise<number> {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return Promise.resolve(performance.now() - start);
}

/** Compares the start of the command line with the start of Node. */
export async function startUp(): Promise<readonly Figure[]> {
  const help = await best(10, () => measureRun([bin, "--help"]));
  const node = await best(10, () => measureRun(["-e", "0"]));
  return [
    { name: "envs --help", value: help, unit: "ms" },
    {
      name: "envs --help / node -e 0",
      value: help / node,
      unit: "×",
      aim: { at: "most", value: 3 },
    },
  ];
}
