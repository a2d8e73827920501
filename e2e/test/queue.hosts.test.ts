import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { startPostgres } from "@envs/hub-server/testing/postgres-server";
import { type ModelServer, modelServer } from "@envs/models/testing";
import { toRow } from "@envs/records";
import { findRuns, readRun } from "@envs/records/node";
import { expect, test, vi } from "vitest";

import { envs, start, temporaryFolder } from "./support/command-line.ts";
import { hostNetwork } from "./support/hosts/network.ts";

const dayAhead = {
  LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  FAKETIME: "+1d",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
};

test("four hosts behind HTTP lose no rollout and play none twice through cuts, kills and clocks apart", async () => {
  const database = await startPostgres();
  await using folder = await temporaryFolder();
  using network = hostNetwork(4);
  const { address, hosts } = network;
  await using model = await modelServer({
    host: address,
    answer: ({ messages }) => `<move>${messages.length % 9}</move>`,
    faults: { delay: { milliseconds: 30 } },
  });
  const tokens = `${folder.path}/tokens.txt`;
  const env: Record<string, string>[] = [];
  for (const { name } of hosts) {
    const { stdout, stderr } = await envs(["queue", "token", name, "--tokens", tokens]);
    expect(stdout, stderr).toMatch(/^envsq_/);
    env.push({ ENVS_QUEUE_TOKEN: stdout.trim() });
  }
  Object.assign(env[3]!, dayAhead);
  const children: ChildProcess[] = [];
  const track = (child: ChildProcess): ChildProcess => (children.push(child), child);
  let port = 0;
  const lease = async (): Promise<ChildProcess> => {
    const at = ["--host", address, "--port", String(port), "--tokens", tokens];
    const child = track(start(["queue", "serve", "--queue", database.url, ...at]));
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    port = Number(/:(\d+)\n/.exec(String(line))![1]);
    return child;
  };
  try {
    const server = await lease();
    const worker = (index: number): ChildProcess =>
      track(
        hosts[index]!.start(
          ["queue", "worker", "--queue", `http://${address}:${port}`, "-c", "8"],
          env[index],
        ),
      );
    hosts[2]!.slow(512);
    const workers = hosts.map((_, index) => worker(index));
    const run = ["-m", "model", "--base-url", model.url, "-n", "80", "-r", "4"];
    const queued = `${folder.path}/queued`;
    const coordinator = track(
      start(["eval", "tictactoe", ...run, "--queue", database.url, "--save", queued]),
    );
    await requests(model, 100);
    hosts[0]!.cut();
    await kill(workers[1]!);
    worker(1);
    await requests(model, 50);
    await kill(server);
    await lease();
    await requests(model, 50);
    await database.kill();
    await sleep(1000);
    await database.restart();
    await requests(model, 50);
    await kill(coordinator);
    hosts[0]!.heal();
    const resumed = await envs(["eval", "--resume", "--queue", database.url, "--save", queued]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const seen = await envs(["queue", "status", "--queue", database.url, "--json"]);
    expect(seen.stdout).toContain(hosts[3]!.name);

    const alone = `${folder.path}/alone`;
    await envs(["eval", "tictactoe", ...run, "--save", alone]);
    expect(await rowsIn(queued)).toEqual(await rowsIn(alone));
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await database.close();
  }
});

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** Waits until the model has received `count` more requests. */
async function requests(server: ModelServer, count: number): Promise<void> {
  const before = server.requests;
  await vi.waitUntil(() => server.requests >= before + count, { timeout: 120_000 });
}

/** The rows of the only run in a folder, without times, in the order of the dataset. */
async function rowsIn(folder: string): Promise<readonly string[]> {
  const [path] = await findRuns(folder);
  const { rollouts, problems } = await readRun(path!);
  expect(problems).toEqual([]);
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .map((rollout) =>
      JSON.stringify(toRow(rollout), (key, value: unknown) =>
        ["timing", "model", "env"].includes(key) ? null : value,
      ),
    );
}
