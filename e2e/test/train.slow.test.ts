import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { random } from "@envs/core";
import { findTrainingRuns, readMetrics, readState } from "@envs/trainer/node";
import { expect, test, vi } from "vitest";

import { envs, start, temporaryFolder } from "../src/command-line.ts";

const recipe = (name: string): string =>
  join(import.meta.dirname, "..", "fixtures", `${name}.config.ts`);

const checkpoint = (run: string): Buffer =>
  readFileSync(join(run, "checkpoints", "rl-end.safetensors"));

test(
  "a training that is killed again and again ends as one that was not, to the bit",
  { timeout: 240_000 },
  async () => {
    await using folder = await temporaryFolder();
    const whole = ["train", "tictactoe", "--config", recipe("short"), "--quiet"];
    const calm = join(folder.path, "calm");
    const undisturbed = await envs([...whole, "--save", calm]);
    expect(undisturbed.stderr).toContain("sft → rl");
    expect(undisturbed.code).toBe(0);
    const [first] = await findTrainingRuns(calm, "tictactoe");

    const stormy = join(folder.path, "stormy");
    const moments = random("kills");
    const steps = (): number => {
      const runs = join(stormy, "train", "tictactoe");
      try {
        const [run = ""] = readdirSync(runs);
        return readFileSync(join(runs, run, "metrics.jsonl"), "utf8").split("\n").length;
      } catch {
        return 0;
      }
    };
    for (let kills = 0; kills < 4; kills += 1) {
      const args = kills === 0 ? whole : ["train", "tictactoe", "--resume", "--quiet"];
      const child = start([...args, "--save", stormy]);
      const isOver = once(child, "exit");
      const moment = steps() + 2 + moments.int(16);
      await vi.waitUntil(() => steps() >= moment || child.exitCode !== null, {
        timeout: 60_000,
        interval: 5,
      });
      child.kill("SIGKILL");
      await isOver;
      expect(child.signalCode, "the training was over before it could be killed").toBe("SIGKILL");
    }
    const last = await envs(["train", "tictactoe", "--resume", "--json", "--save", stormy]);
    expect(last.code).toBe(0);

    const [second, ...others] = await findTrainingRuns(stormy, "tictactoe");
    expect(others).toEqual([]);
    expect(await readState(second!)).toMatchObject({ phase: "rl", step: 24, isEnd: true });
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
  },
);

test(
  "a short training makes the model win more often than chance explains",
  { timeout: 300_000 },
  async () => {
    await using folder = await temporaryFolder();
    const args = ["train", "tictactoe", "--config", recipe("learning"), "--json"];
    const { stdout, code } = await envs([...args, "--save", folder.path]);
    expect(code).toBe(0);
    const { stages } = JSON.parse(stdout) as {
      readonly stages: readonly {
        readonly stage: string;
        readonly games: number;
        readonly counts: Readonly<Record<string, number>>;
      }[];
    };
    const winsOf = (stage: string): { share: number; variance: number } => {
      const { games, counts } = stages.find((each) => each.stage === stage)!;
      const share = counts["win"]! / games;
      return { share, variance: (share * (1 - share)) / games };
    };
    const before = winsOf("before");
    const warm = winsOf("after sft");
    const trained = winsOf("after rl");
    // One-sided, 99.9 %: the lower bound of the difference.
    const surely = (a: typeof before, b: typeof before): number =>
      b.share - a.share - 3.1 * Math.sqrt(a.variance + b.variance);
    expect(surely(before, warm)).toBeGreaterThan(0);
    expect(surely(warm, trained)).toBeGreaterThan(0);
  },
);
