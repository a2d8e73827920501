import { once } from "node:events";

import { random } from "@envs/core";
import { modelServer } from "@envs/models/testing";
import { findRuns, readRun } from "@envs/records/node";
import { expect, test, vi } from "vitest";

import { envs, start, temporaryFolder } from "./support/command-line.ts";

test("saves each rollout once when the run is killed five times", async () => {
  await using server = await modelServer({
    answer: ({ messages }) => `<think>x</think><move>${messages.length % 9}</move>`,
    faults: { delay: { milliseconds: 20 } },
  });
  await using folder = await temporaryFolder();
  const save = ["--save", folder.path];
  const run = [
    "eval",
    "tictactoe",
    "-m",
    "model",
    "--base-url",
    server.url,
    "-n",
    "100",
    "-r",
    "5",
    "-c",
    "16",
    ...save,
  ];
  const moments = random("kill");

  let killed = 0;
  for (let args = run; killed < 5; args = ["eval", "--resume", ...save]) {
    const child = start(args);
    const exit = once(child, "exit");
    // Kills at a random moment after the run has begun.
    const moment = server.requests + 1 + moments.int(300);
    await vi.waitUntil(() => server.requests >= moment, { timeout: 120_000, interval: 1 });
    child.kill("SIGKILL");
    await exit;
    expect(child.signalCode, "the run ended before the kill").toBe("SIGKILL");
    killed += 1;
  }
  const last = await envs(["eval", "--resume", "--json", ...save]);
  expect(last.stderr).toBe("");
  expect(last.code).toBe(0);
  expect(JSON.parse(last.stdout)).toMatchObject({
    is_complete: true,
    counts: { total: 500, scored: 500 },
  });

  const [path, ...others] = await findRuns(folder.path);
  expect(others).toEqual([]);
  const { rollouts, problems, metadata } = await readRun(path!);
  expect(problems).toEqual([]);
  expect(metadata["is_complete"]).toBe(true);
  expect(
    new Set(rollouts.map(({ exampleKey, rolloutIndex }) => `${exampleKey} ${rolloutIndex}`)).size,
  ).toBe(500);
  expect(rollouts.every(({ status }) => status === "scored")).toBe(true);

  const again = await envs(["eval", "--resume", path!, "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ counts: { total: 500 } });
  expect((await readRun(path!)).rollouts).toHaveLength(500);
});
