import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeRun } from "../viewer/run.ts";
import { alternate } from "./alternate.ts";
import type { Costs } from "./compare.ts";
import type { ProbedUse } from "./probe.ts";

const bin = join(import.meta.dirname, "../../../packages/cli/src/bin.ts");
const probe = join(import.meta.dirname, "probe.ts");

/** Starts, and nothing else. */
const nothing = ["--eval", "0"];
/** Reads a run line by line. */
const readLines = (path: string) => [
  "--eval",
  `let sum = 0;
  for (const line of require("node:fs").readFileSync(${JSON.stringify(path)}, "utf8").split("\\n"))
    if (line !== "") sum += JSON.parse(line).reward;
  console.log(sum);`,
];

/** Measurements of commands by name. */
export const commandCosts: Readonly<Record<string, () => Promise<Costs>>> = {
  help: () => costs("envs --help", [bin, "--help"], nothing, 10),
  async view() {
    const folder = mkdtempSync(join(tmpdir(), "envs-budgets-"));
    try {
      const path = await writeRun(join(folder, "run"), 400);
      const reference = readLines(join(path, "results.jsonl"));
      return await costs("envs view, 10,000 rollouts", [bin, "view", path, "--json"], reference, 5);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function costs(
  name: string,
  work: readonly string[],
  reference: readonly string[],
  rounds: number,
): Promise<Costs> {
  const peaks: number[] = [];
  const ratio = await alternate(
    { rounds, warmUps: 1 },
    async () => {
      const { cpuMs, peakMiB } = execute(work);
      peaks.push(peakMiB);
      return cpuMs;
    },
    async () => execute(reference).cpuMs,
  );
  return { [name]: ratio, [`${name}: peak, MiB`]: Math.min(...peaks) };
}

function execute(args: readonly string[]): ProbedUse {
  const folder = mkdtempSync(join(tmpdir(), "envs-budgets-"));
  try {
    const { status, stderr, pid } = spawnSync(process.execPath, ["--import", probe, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
      env: { ...process.env, ENVS_PROBE: folder },
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(readFileSync(join(folder, `${pid}.json`), "utf8")) as ProbedUse;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
