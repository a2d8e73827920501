import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { allCpuOfTree } from "./budgets/process-use.ts";
import type { Aim, Figure } from "./figure.ts";
import { residentMemoryOfTree } from "./hub/registry.ts";
import { median } from "./rounds.ts";
import {
  bare,
  type EchoKind,
  type EchoServer,
  ours,
  oursInOneProcess,
} from "./serve/echo-server.ts";
import { LoadGenerator, type OpenResult, type PlayResult } from "./serve/load.ts";
import { openenv } from "./serve/openenv.ts";

const maxSessions = 2048;
const rounds = 3;
/** Idle time before a measurement of memory. */
const settleMs = 2000;
const levels = [
  // So many steps in the warm-up round that V8 has compiled all code before the measured rounds.
  { sessions: 1, steps: 5000 },
  { sessions: 64, steps: 150 },
  { sessions: 512, steps: 20 },
  { sessions: maxSessions, steps: 6 },
];

const ahead: Aim = { at: "least", value: 1 };

/** The results of one server, by round, with the microseconds of processor time of its processes per frame. */
type Results = readonly (PlayResult & { readonly cpuOfFrame: number })[];

/** Compares our server with OpenEnv's in alternation. Both serve an echo environment, each in its own process. */
export async function serve(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-serve-"));
  try {
    const [openEnv, openEnvAsync] = await openenv(folder);
    return [
      ...(await steps(openEnv, openEnvAsync)),
      ...(await idle(ours, { at: "most", value: 20 })),
      ...(await idle(openEnv)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function steps(openEnv: EchoKind, openEnvAsync: EchoKind): Promise<Figure[]> {
  await using ourServer = await ours.start();
  await using ourServerInOneProcess = await oursInOneProcess.start();
  await using openEnvServer = await openEnv.start();
  await using openEnvAsyncServer = await openEnvAsync.start();
  await using bareServer = await bare.start();
  const servers = [ourServer, ourServerInOneProcess, openEnvServer, openEnvAsyncServer, bareServer];
  const figures: Figure[] = [];
  for (const level of levels) {
    const [we, weInOneProcess, they, theyAsync, limit] = (await playInAlternation(
      servers,
      level,
    )) as [Results, Results, Results, Results, Results];
    const { sessions } = level;
    const label = `${sessions.toLocaleString("en")} ${sessions === 1 ? "session" : "sessions"}`;
    // With one session, most of the time is the round trip.
    const aim: Aim = { at: "least", value: sessions === 1 ? 3 : 12 };
    figures.push(
      { ...ratioFigure(label, [ours, we], [openEnv, they]), aim },
      { ...ratioFigure(label, [ours, we], [openEnvAsync, theyAsync]), aim: ahead },
      ratioFigure(label, [ours, we], [bare, limit]),
      ratioFigure(label, [oursInOneProcess, weInOneProcess], [openEnv, they]),
      ratioFigure(label, [oursInOneProcess, weInOneProcess], [bare, limit]),
      ...(
        [
          [ours, we],
          [oursInOneProcess, weInOneProcess],
          [openEnv, they],
          [openEnvAsync, theyAsync],
        ] as const
      ).map(([{ name }, costs]) => cpuFigure(`${label}: ${name}`, costs)),
      ...latencyFigures(`${label}: ${ours.name}`, we),
      success(`${label}: ${ours.name}`, we, allSessions),
      loadShare(`${label}: ${ours.name}`, best(we)),
      ...latencyFigures(`${label}: ${openEnv.name}`, they),
      success(`${label}: ${openEnv.name}`, they),
      speed(`${label}: ${openEnvAsync.name}`, theyAsync),
      speed(`${label}: ${oursInOneProcess.name}`, weInOneProcess),
      speed(`${label}: ${bare.name}`, limit),
    );
  }
  return figures;
}

/** Plays the same sessions on all servers in alternation, after an unmeasured warm-up round. */
async function playInAlternation(
  servers: readonly EchoServer[],
  { sessions, steps: count }: (typeof levels)[number],
): Promise<readonly Results[]> {
  using load = new LoadGenerator();
  const results: Results[number][][] = servers.map(() => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, server] of servers.entries()) {
      const before = allCpuOfTree(server.child.pid!);
      const result = await load.play(server, sessions, count);
      const cpu = allCpuOfTree(server.child.pid!) - before;
      // Opening and closing add to the time, but not to the frames.
      const cpuOfFrame = (cpu * 1000) / sessions / (count + 1);
      if (round > 0) results[index]!.push({ ...result, cpuOfFrame });
      // A server may still be closing sessions when the next server's round begins.
      await sleep(sessions);
    }
  return results;
}

type Contender = readonly [EchoKind, Results];

function ratioFigure(
  label: string,
  [one, results]: Contender,
  [other, otherResults]: Contender,
): Figure {
  const name = `${label}: steps of ${one.name} / of ${other.name}`;
  return { name, unit: "×", ...ratio(results, otherResults) };
}

function ratio(we: Results, they: Results): Pick<Figure, "value" | "median"> {
  return {
    value: best(we).stepsPerSecond / best(they).stepsPerSecond,
    median: median(
      we.map(({ stepsPerSecond }, round) => stepsPerSecond / they[round]!.stepsPerSecond),
    ),
  };
}

function cpuFigure(name: string, results: Results): Figure {
  const costs = results.map(({ cpuOfFrame }) => cpuOfFrame);
  const value = Math.min(...costs);
  return { name: `${name}, CPU of a frame`, value, median: median(costs), unit: "µs" };
}

function speed(name: string, results: Results): Figure {
  return { name, value: best(results).stepsPerSecond, unit: "steps/s" };
}

function latencyFigures(name: string, results: Results): Figure[] {
  const { p50, p95, p99 } = best(results);
  return [
    speed(name, results),
    { name: `${name}, p50`, value: p50, unit: "ms" },
    { name: `${name}, p95`, value: p95, unit: "ms" },
    { name: `${name}, p99`, value: p99, unit: "ms" },
  ];
}

/** Near 100 %, the load generator limits the throughput, and not the server. */
function loadShare(name: string, { loadCores }: PlayResult): Figure {
  const note = loadCores > 0.9 ? " (it was the limit)" : "";
  return {
    name: `${name}, share of a core for the load${note}`,
    value: loadCores * 100,
    unit: "%",
  };
}

function best(results: Results): PlayResult {
  return results.reduce((a, b) => (b.stepsPerSecond > a.stepsPerSecond ? b : a));
}

const allSessions: Aim = { at: "least", value: 100 };

/** The share of sessions without an error, in all rounds. */
function success(name: string, results: readonly OpenResult[], aim?: Aim): Figure {
  const sum = (key: "succeeded" | "sessions"): number =>
    results.reduce((total, result) => total + result[key], 0);
  const problem = results.find(({ problem: first }) => first !== undefined)?.problem;
  const note = problem === undefined ? "" : ` (${problem})`;
  const value = (sum("succeeded") / sum("sessions")) * 100;
  return { name: `${name}, success${note}`, value, unit: "%", aim };
}

/** Measures the memory of idle sessions, and how fast a server opens and reopens all of them at once. */
async function idle(kind: EchoKind, memoryAim?: Aim): Promise<Figure[]> {
  await using server = await kind.start();
  using load = new LoadGenerator();
  // Loads the code and allocates the memory that the first session needs.
  await load.play(server, 64, 50);
  await sleep(settleMs);
  const before = residentMemoryOfTree(server.child);
  const opened = await load.hold(server, maxSessions);
  await sleep(settleMs);
  const kibPerSession = ((residentMemoryOfTree(server.child) - before) * 1024) / opened.succeeded;
  const reopened = await load.reopen();
  const label = `${maxSessions.toLocaleString("en")} sessions`;
  const aim = memoryAim && allSessions;
  return [
    {
      name: `memory of each of ${label}, idle: ${kind.name}`,
      value: kibPerSession,
      unit: "KiB",
      aim: memoryAim,
    },
    { name: `${label} opened at once: ${kind.name}`, value: opened.seconds, unit: "s" },
    success(`${label} opened at once: ${kind.name}`, [opened], aim),
    { name: `${label} dropped and opened again: ${kind.name}`, value: reopened.seconds, unit: "s" },
    success(`${label} dropped and opened again: ${kind.name}`, [reopened], aim),
  ];
}
