import { readFile } from "node:fs/promises";

import { random as seeded } from "@envs/core";
import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { findRuns, readRun } from "@envs/records/node";
import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../cli/test/command.ts";
import { lettersPackage } from "../../../cli/test/evaluation/letters.ts";
import { type RunningCommand, startEnvs } from "./run-with-workers.ts";

const examples = 1000;
/** Examples whose code ends the process, or never returns, and the end of the message in the record. */
const poisons: Readonly<Record<number, { readonly code: string; readonly end: RegExp }>> = {
  12: { code: `process.kill(process.pid, "SIGKILL")`, end: /SIGKILL$/ },
  // One of the first, because its verdict takes 15 seconds of CPU time.
  20: { code: "for (;;);", end: /kept the thread for/ },
  240: { code: "process.abort()", end: /SIGABRT/ },
  241: { code: "process.exit(7)", end: /exit code 7$/ },
  800: {
    code: `process.stderr.write("the engine failed\\n"); process.kill(process.pid, "SIGSEGV")`,
    end: /SIGSEGV: the engine failed$/,
  },
};

/** Replies of 20 ms, of which five end the process. */
const grade = `
const poisons = {
  ${Object.entries(poisons)
    .map(([index, { code }]) => `p${index}() { ${code} },`)
    .join("\n  ")}
};
export const grade = async (reply, { prompt }) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  poisons[prompt]?.();
  return Number(reply === prompt);
};
`;

test("of 1,000 rollouts, exactly five poisoned ones fail while workers are killed", async () => {
  await using database = await postgresDatabase();
  const queue = ["--queue", database.url];
  const root = await lettersPackage({
    files: {
      "dist/grade.js": grade,
      "data/rows.json": JSON.stringify(
        Array.from({ length: examples }, (_, index) => ({ prompt: `p${index}` })),
      ),
    },
  });
  const save = await temporaryFolder();
  const size = ["-m", "policy:right", "-n", String(examples), "-r", "1"];
  const run = startEnvs(["eval", root, ...size, ...queue, "--save", save]);
  await run.prints("No worker plays this run yet");

  const ended = new AbortController();
  const random = seeded(1);
  let killed = 0;
  /** A supervisor: starts a worker again whenever it has ended, and kills one after a while. */
  const supervise = async (): Promise<void> => {
    let hasKilled = false;
    while (!ended.signal.aborted) {
      const worker: RunningCommand = startEnvs(["queue", "worker", ...queue, "--concurrency", "8"]);
      const over = new Promise<void>((resolve) => worker.child.once("close", () => resolve()));
      const timer = setTimeout(
        () => {
          if (hasKilled) return;
          hasKilled = true;
          killed += 1;
          worker.child.kill("SIGKILL");
        },
        5000 + random.int(10_000),
      );
      ended.signal.addEventListener("abort", () => worker.child.kill("SIGKILL"), { once: true });
      await over;
      clearTimeout(timer);
    }
  };
  const supervisors = [supervise(), supervise(), supervise()];
  const { code, stderr } = await run.ended();
  ended.abort();
  await Promise.all(supervisors);

  expect(code, stderr).toBe(1);
  expect(killed).toBeGreaterThan(0);
  const [path = ""] = await findRuns(save);
  const { rollouts } = await readRun(path);
  expect(rollouts).toHaveLength(examples);
  const failed = rollouts.filter((rollout) => rollout.status === "failed");
  expect(failed.filter(({ error }) => error.code !== "crash")).toEqual([]);
  expect(failed.map(({ exampleIndex }) => exampleIndex).toSorted((a, b) => a - b)).toEqual(
    Object.keys(poisons).map(Number),
  );
  for (const { error, exampleIndex } of failed) {
    expect(error).toMatchObject({
      code: "crash",
      message: expect.stringMatching(poisons[exampleIndex]!.end),
    });
  }
  const { stdout } = await envs(["queue", "status", "--json", ...queue]);
  const { workers } = JSON.parse(stdout) as { readonly workers: readonly object[] };
  expect(workers.length).toBeGreaterThan(5);
  for (const worker of workers) expect(worker).toMatchObject({ holds_groups: false });
  expect(await readFile(`${path}/results.jsonl`, "utf8")).not.toContain("No worker could play");
});
