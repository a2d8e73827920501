import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { random } from "@envs/core";

import { start } from "../support/command-line.ts";
import { ServeClient, type StepOutcome } from "./serve-client.ts";
import type { Soak } from "./soak.ts";

const run = promisify(execFile);
const stepTimeoutSeconds = 4;
/** A client's longest acceptable wait: the step's limit, and the time in which a busy machine replaces a process. */
const maxWaitSeconds = stepTimeoutSeconds + 60;
const players = 24;
const stepsPerEpisode = 50;
/** The number of steps of which one fails. */
const stepsPerFailure = 2000;
const failures = ["throw", "loop", "hang", "reject", "exit"] as const;

/** The responses and failures that clients of the served environment counted. */
export interface ServeReport {
  readonly sessions: number;
  readonly steps: number;
  /** Steps that asked the environment to fail. */
  readonly requestedFailures: number;
  /** Sessions that the server closed, or answered with an error, because of a failing step or a kill. */
  readonly endedSessions: number;
  readonly kills: number;
  /** Requests that were not answered, and whose socket did not close, within the limit. */
  readonly hangs: readonly string[];
  readonly longestWaitSeconds: number;
}

/** Plays an unsteady environment until the soak ends, while a process of the server is killed every `secondsBetweenKills`. */
export async function soakServe(soak: Soak, secondsBetweenKills = 45): Promise<ServeReport> {
  const server = start([
    "serve",
    join(import.meta.dirname, "unsteady-environment.ts"),
    "--json",
    "--port=0",
    `--step-timeout=${stepTimeoutSeconds}`,
  ]);
  try {
    const url = await urlOf(server);
    soak.measureMemory("serve", () => server.pid);
    const report = { sessions: 0, steps: 0, requestedFailures: 0, endedSessions: 0, kills: 0 };
    soak.continueUntil(() => report.steps > 100 && report.requestedFailures > 2);
    const hangs: string[] = [];
    let longestWait = 0;

    const observe = (outcome: StepOutcome, request: string): boolean => {
      longestWait = Math.max(longestWait, outcome.seconds);
      if (outcome.kind === "hang") hangs.push(`${request} after ${soak.seconds().toFixed(0)} s`);
      if (outcome.kind !== "answer") report.endedSessions += 1;
      return outcome.kind === "answer";
    };
    const player = async (number: number): Promise<void> => {
      const draw = random("serve soak", number);
      while (!soak.isOver()) {
        using client = new ServeClient(url, maxWaitSeconds);
        report.sessions += 1;
        let isOpen = observe(await client.reset(), "reset");
        // Sometimes disconnects without closing, like a crashed trainer.
        const steps = draw.int(stepsPerEpisode);
        for (let step = 0; isOpen && step < steps && !soak.isOver(); step += 1) {
          const isFailure = draw.int(stepsPerFailure) === 0;
          const text = isFailure ? failures[draw.int(failures.length)]! : `message ${step}`;
          if (isFailure) report.requestedFailures += 1;
          report.steps += 1;
          isOpen = observe(await client.step(text), text);
          await sleep(draw.int(150));
        }
        // Waits when the server rejects a session, so that the hub's soak can run.
        if (!isOpen) await sleep(100);
      }
    };
    const killer = async (): Promise<void> => {
      while (await soak.wait(secondsBetweenKills)) if (await killChild(server)) report.kills += 1;
    };
    await Promise.all([...Array.from({ length: players }, (_, index) => player(index)), killer()]);
    return { ...report, hangs, longestWaitSeconds: longestWait };
  } finally {
    server.kill("SIGKILL");
  }
}

/** Waits for the URL that the server prints. Throws with its errors if it ends before that. */
async function urlOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let errors = "";
  stderr!.on("data", (chunk) => (errors = (errors + String(chunk)).slice(-10_000)));
  const line = await Promise.race([once(stdout!, "data"), once(stdout!, "end")]);
  if (line.length === 0) throw new Error(`The server did not start:\n${errors}`);
  return (JSON.parse(String(line[0])) as { readonly url: string }).url;
}

/** Kills the oldest process in which the server plays episodes. Returns `false` without such a process. */
async function killChild({ pid }: ChildProcess): Promise<boolean> {
  const { stdout } = await run("ps", ["-o", "pid=", "--ppid", String(pid)]).catch(() => ({
    stdout: "",
  }));
  const [child] = stdout.trim().split(/\s+/).filter(Boolean).map(Number);
  if (child === undefined) return false;
  process.kill(child, "SIGKILL");
  return true;
}
