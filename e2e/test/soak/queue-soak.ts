import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { random } from "@envs/core";
import { findRuns, readRun } from "@envs/records/node";

import { finished, start } from "../support/command-line.ts";
import { poisoned } from "./poisoned-environment.ts";
import type { Soak } from "./soak.ts";

const examples = 400;
const workers = 2;
/** A run without faults takes seconds; each lost worker costs up to 20 seconds until its groups are played again. */
const maxRunSeconds = 600;

/** The runs of a queue whose workers were killed, and whose examples end processes. */
export interface QueueReport {
  readonly runs: number;
  readonly rollouts: number;
  readonly kills: number;
  /** Rollouts that a run has not recorded. */
  readonly lost: readonly string[];
  /** Rollouts that failed because of another one, or did not fail though their code ended its process. */
  readonly misjudged: readonly string[];
  readonly hangs: readonly string[];
}

/** Plays runs with poisoned examples through a queue until the soak ends, while workers are killed. The last run is played to its end. */
export async function soakQueue(soak: Soak, url: string): Promise<QueueReport> {
  const environment = join(import.meta.dirname, "poisoned-environment.ts");
  const folder = await mkdtemp(join(tmpdir(), "envs-soak-queue-"));
  const report = { runs: 0, rollouts: 0, kills: 0 };
  const [lost, misjudged, hangs]: [string[], string[], string[]] = [[], [], []];
  const draw = random("queue soak");
  const team = new Set<ChildProcess>();
  let coordinator: ChildProcess | undefined;
  const ended = new AbortController();
  soak.measureMemory("queue coordinator", () => coordinator?.pid);

  const worker = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const child = start(["queue", "worker", "--queue", url, "-c", "16", "--quiet"]);
      team.add(child);
      await finished(child);
      team.delete(child);
    }
  };
  const killer = async (): Promise<void> => {
    while (await soak.wait(30 + draw.int(30))) {
      const [victim] = team;
      if (victim?.kill("SIGKILL") === true) report.kills += 1;
    }
  };
  const play = async (): Promise<void> => {
    const save = join(folder, String(report.runs));
    report.runs += 1;
    const size = ["-m", "policy:right", "-n", String(examples), "-r", "1", "--quiet"];
    coordinator = start(["eval", environment, ...size, "--queue", url, "--save", save]);
    const running = coordinator;
    const timer = setTimeout(() => {
      hangs.push(`run ${report.runs} after ${maxRunSeconds} s`);
      running.kill("SIGKILL");
    }, maxRunSeconds * 1000);
    await finished(running);
    clearTimeout(timer);
    const [path = ""] = await findRuns(save);
    const { rollouts } = await readRun(path);
    report.rollouts += rollouts.length;
    const failed = new Set<number>();
    for (const rollout of rollouts)
      if (rollout.status === "failed") failed.add(rollout.exampleIndex);
    const played = new Set(rollouts.map(({ exampleIndex }) => exampleIndex));
    for (let index = 0; index < examples; index += 1) {
      const name = `run ${report.runs}, example ${index}`;
      if (!played.has(index)) lost.push(name);
      else if (failed.has(index) !== poisoned.includes(index)) misjudged.push(name);
    }
    await rm(save, { recursive: true });
  };
  try {
    const working = Promise.all([killer(), ...Array.from({ length: workers }, worker)]);
    while (!soak.isOver()) await play();
    ended.abort();
    for (const child of team) child.kill("SIGKILL");
    await working;
    return { ...report, lost, misjudged, hangs };
  } finally {
    ended.abort();
    for (const child of team) child.kill("SIGKILL");
    if (coordinator?.exitCode === null && coordinator.kill("SIGKILL"))
      await once(coordinator, "exit");
    await rm(folder, { recursive: true, force: true });
  }
}
