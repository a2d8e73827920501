import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { testNetwork } from "@envs/hub-server/testing/network";
import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { startPostgres } from "@envs/hub-server/testing/postgres-server";
import { type ModelServer, modelServer } from "@envs/models/testing";
import { toRow } from "@envs/records";
import { findRuns, readRun } from "@envs/records/node";
import { expect, test, vi } from "vitest";

import { envs, finished, start, temporaryFolder } from "./support/command-line.ts";

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

const withoutTimes = (key: string, value: unknown): unknown =>
  ["timing", "model", "env"].includes(key) ? null : value;

/** The rows of the only run in a folder, without times, in the order of the dataset. */
async function rowsIn(folder: string): Promise<readonly string[]> {
  const [path, ...others] = await findRuns(folder);
  expect(others).toEqual([]);
  const { rollouts, problems } = await readRun(path!);
  expect(problems).toEqual([]);
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .map((rollout) => JSON.stringify(toRow(rollout), withoutTimes));
}

/** Waits until the model has received `count` more requests. */
async function requests(server: ModelServer, count: number): Promise<void> {
  const before = server.requests;
  await vi.waitUntil(() => server.requests >= before + count, { timeout: 120_000 });
}

test("it plays the same rollouts as one process through kills, also of PostgreSQL, and a cut connection", async () => {
  const database = await startPostgres();
  await using network = await testNetwork(database.url);
  await using server = await modelServer({
    answer: ({ messages }) => `<think>x</think><move>${messages.length % 9}</move>`,
    faults: { delay: { milliseconds: 50 } },
  });
  await using folder = await temporaryFolder();
  const model = ["-m", "model", "--base-url", server.url];
  const size = ["-n", "250", "-r", "4"];
  const queue = ["--queue", network.url];
  const queued = `${folder.path}/queued`;
  const worker = () => start(["queue", "worker", ...queue, "-c", "8"]);
  const workers = [worker(), worker()];
  try {
    const first = start(["eval", "tictactoe", ...model, ...size, ...queue, "--save", queued]);
    await requests(server, 200);
    await kill(workers[0]!);
    workers.push(worker());
    await requests(server, 200);
    await kill(first);
    const second = start(["eval", "--resume", "--json", ...queue, "--save", queued]);
    const result = finished(second);
    const [path] = await findRuns(queued);
    const saved = () => statSync(join(path!, "results.jsonl")).size;
    const before = saved();
    await vi.waitUntil(() => saved() > before, { timeout: 120_000 });
    network.cut();
    await sleep(1000);
    network.restore();
    await requests(server, 100);
    await database.kill();
    await sleep(1000);
    await database.restart();
    await requests(server, 100);
    const { code, stdout, stderr } = await result;
    expect(code, stderr).toBe(0);
    const stopped = workers.slice(1).map(finished);
    for (const child of workers.slice(1)) child.kill("SIGTERM");
    for (const worker of await Promise.all(stopped))
      expect(worker).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("Cannot reach the queue"),
      });

    const alone = await envs([
      "eval",
      "tictactoe",
      ...model,
      ...size,
      "--json",
      "--save",
      `${folder.path}/alone`,
    ]);
    const summary = (text: string): unknown => {
      const { run: _, time: __, ...rest } = JSON.parse(text) as Record<string, unknown>;
      return rest;
    };
    expect(summary(stdout)).toEqual(summary(alone.stdout));
    expect(await rowsIn(queued)).toEqual(await rowsIn(`${folder.path}/alone`));
  } finally {
    for (const child of workers) child.kill("SIGKILL");
    await database.close();
  }
});

test("it waits for a database that does not run yet", async () => {
  const database = await startPostgres();
  try {
    await database.kill();
    const watching = start(["queue", "status", "--queue", database.url, "--json"]);
    const result = finished(watching);
    const [line] = (await once(watching.stderr!, "data")) as [Buffer];
    expect(String(line)).toMatch(/^Cannot reach the queue: .*ECONNREFUSED.*Waiting up to a minute/);
    await database.restart();
    expect(await result).toMatchObject({ code: 0, stdout: '{"workers":[],"runs":[]}\n' });
  } finally {
    await database.close();
  }
});

test("it gives groups back when a worker is stopped without grace", async () => {
  await using database = await postgresDatabase();
  await using server = await modelServer({ faults: { delay: { milliseconds: 600_000 } } });
  await using folder = await temporaryFolder();
  const queue = ["--queue", database.url];
  const run = [
    "eval",
    "tictactoe",
    "-m",
    "model",
    "--base-url",
    server.url,
    "-n",
    "1",
    "-r",
    "1",
    "--save",
    folder.path,
  ];
  const coordinator = start([...run, ...queue]);
  const result = finished(coordinator);
  const worker = start(["queue", "worker", ...queue, "--grace", "0"]);
  const stopped = finished(worker);
  await requests(server, 1);
  worker.kill("SIGTERM");
  expect(await stopped).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Played 0 rollouts, 0 failed."),
  });
  // The group returns at once, not after 15 seconds as for a killed worker.
  server.faults = {};
  const next = start(["queue", "worker", ...queue]);
  expect((await result).code).toBe(0);
  await kill(next);
});
