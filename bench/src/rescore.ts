import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Figure } from "./figure.ts";

const bin = join(import.meta.dirname, "../../packages/cli/src/bin.ts");
const [examples, rollouts] = [500, 10];

function envs(args: readonly string[], heap: number): void {
  const words = [`--max-old-space-size=${heap}`, bin, ...args];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** Rescores 5,000 games with a heap of 96 MB, which holds a part of the run. */
export function rescore(): Promise<readonly Figure[]> {
  const save = mkdtempSync(join(tmpdir(), "rescore-"));
  try {
    const counts = ["-n", String(examples), "-r", String(rollouts)];
    envs(["eval", "wordle", "-m", "policy:random", ...counts, "--save", save, "--quiet"], 4096);
    const [folder = ""] = readdirSync(join(save, "evals"));
    const [run = ""] = readdirSync(join(save, "evals", folder));
    const start = performance.now();
    envs(["run", "rescore", join(save, "evals", folder, run), "--json"], 96);
    const seconds = (performance.now() - start) / 1000;
    const value = (examples * rollouts) / seconds;
    return Promise.resolve([{ name: "envs run rescore of wordle", value, unit: "/s" }]);
  } finally {
    rmSync(save, { recursive: true, force: true });
  }
}
