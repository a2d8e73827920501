import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { random } from "@envs/core";
import { findTrainingRuns, readMetrics, readState } from "@envs/trainer/node";
import { expect, test, vi } from "vitest";

import { envs, start, temporaryFolder } from "./support/command-line.ts";

const recipe = (name: string): string => join(import.meta.dirname, "fixtures", `${name}.config.ts`);

const checkpoint = (run: string): Buffer =>
  readFileSync(join(run, "checkpoints", "rl-end.safetensors"));

test("ends with the same weights, bit for bit, when it is killed twice", async () => {
  await using folder = await temporaryFolder();
  const whole = ["train", "tictactoe", "--config", recipe("short"), "--quiet"];
  const uninterruptedFolder = join(folder.path, "uninterrupted");
  const uninterrupted = await envs([...whole, "--save", uninterruptedFolder]);
  expect(uninterrupted.stderr).toContain("sft → rl");
  expect(uninterrupted.code).toBe(0);
  const [first] = await findTrainingRuns(uninterruptedFolder, "tictactoe");

  const killedFolder = join(folder.path, "killed");
  const moments = random("kills");
  const steps = (): number => {
    const runs = join(killedFolder, "train", "tictactoe");
    try {
      const [run = ""] = readdirSync(runs);
      return readFileSync(join(runs, run, "metrics.jsonl"), "utf8").split("\n").length;
    } catch {
      return 0;
    }
  };
  for (let kills = 0; kills < 2; kills += 1) {
    const args = kills === 0 ? whole : ["train", "tictactoe", "--resume", "--quiet"];
    const child = start([...args, "--save", killedFolder]);
    const exit = once(child, "exit");
    const moment = steps() + 2 + moments.int(8);
    await vi.waitUntil(() => steps() >= moment || child.exitCode !== null, {
      timeout: 120_000,
      interval: 5,
    });
    child.kill("SIGKILL");
    await exit;
    expect(child.signalCode, "the training ended before the kill").toBe("SIGKILL");
  }
  const last = await envs(["train", "tictactoe", "--resume", "--json", "--save", killedFolder]);
  expect(last.code).toBe(0);

  const [second, ...others] = await findTrainingRuns(killedFolder, "tictactoe");
  expect(others).toEqual([]);
  expect(await readState(second!)).toMatchObject({ phase: "rl", step: 12, isEnd: true });
  expect(checkpoint(second!).equals(checkpoint(first!))).toBe(true);
  const values = async (run: string) =>
    (await readMetrics(join(run, "metrics.jsonl"))).map(({ phase, step, kind, values: v }) => ({
      phase,
      step,
      kind,
      loss: v["loss"],
      reward: v["reward"],
    }));
  expect(await values(second!)).toEqual(await values(first!));
});
