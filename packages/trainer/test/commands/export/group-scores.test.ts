import { join } from "node:path";

import { expect, test } from "vitest";

import { type ExportFormatName, exportFormats } from "../../../src/commands/export/formats.ts";
import { loadTrainingSource } from "../../../src/commands/export/training-source.ts";

const contest = join(import.meta.dirname, "../../../../serve/test/fixtures/contest.ts");

async function exportContest(name: ExportFormatName) {
  const format = exportFormats[name];
  if (format.input === "run") throw new Error(`${name} exports runs.`);
  const source = await loadTrainingSource(contest, {
    config: {},
    url: "http://127.0.0.1:8000",
    seed: 0,
    model: "Qwen/Qwen3-0.6B",
  });
  return format.create(source, { taskset: undefined });
}

test("export rejects an environment that compares rollouts for trainers of single rollouts", async () => {
  for (const name of ["trl", "skyrl", "prime-rl"] as const) {
    const message = /Cannot export contest .*\bbest\b.*envs export verl/u;
    await expect(async () => exportContest(name), name).rejects.toThrow(message);
  }
});

test("export for NeMo Gym explains how to serve an environment that compares rollouts", async () => {
  for (const name of ["nemo", "verl"] as const) {
    const { notes } = await exportContest(name);
    expect(notes?.join(" "), name).toContain("--group-size 8");
  }
});
