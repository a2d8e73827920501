import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import type { Figure } from "./figure.ts";
import { residentMemory } from "./hub/registry.ts";
import { median } from "./rounds.ts";
import {
  bare,
  type EchoKind,
  type EchoServer,
  ours,
  oursInOneThread,
} from "./serve/echo-server.ts";
import { LoadGenerator, type Opened, type Played } from "./serve/load.ts";
import { openenv } from "./serve/openenv.ts";

const most = 2048;
const rounds = 3;
/** How long a server is left alone before its memory is looked at, in milliseconds. */
const settling = 2000;
const levels = [
  // The first round has as many: V8 has compiled then what is run in all others.
  { sessions: 1, steps: 5000 },
  { sessions: 64, steps: 150 },
  { sessions: 512, steps: 20 },
  { sessions: most, steps: 6 },
];

/** The results of one server. */
type Turns = readonly Played[];

/** Our server against OpenEnv's own, both with an echo environment, each in its own process, alternating. */
export async function serve(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-serve-"));
  try {
    const [theirs, theirBest] = await openenv(folder);
    return [
      ...(await steps(theirs, theirBest)),
      ...(await idle(ours, 40)),
      ...(await idle(theirs)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function steps(theirs: EchoKind, theirBest: EchoKind): Promise<Figure[]> {
  await using us = await ours.start();
  await using usAlone = await oursInOneThread.start();
  await using them = await theirs.start();
  await using themAtBest = await theirBest.start();
  await using limit = await bare.start();
  const servers = [us, usAlone, them, themAtBest, limit];
  const figures: Figure[] = [];
  for (const level of levels) {
    const all = await inTurns(servers, level);
    const [we, weAlone, they, theyAtBest, most] = all as [Turns, Turns, Turns, Turns, Turns];
    const { sessions } = level;
    const at = `${sessions.toLocaleString("en")} ${sessions === 1 ? "session" : "sessions"}`;
    // The time of a single step is mostly the round trip.
    const aim = sessions === 1 ? {} : { aim: { at: "least", value: 5 } as const };
    figures.push(
      { ...compared(at, [ours, we], [theirs, they]), ...aim },
      compared(at, [ours, we], [theirBest, theyAtBest]),
      compared(at, [ours, we], [bare, most]),
      compared(at, [oursInOneThread, weAlone], [theirs, they]),
      compared(at, [oursInOneThread, weAlone], [bare, most]),
      ...playedFigures(`${at}: ${ours.name}`, we),
      success(`${at}: ${ours.name}`, we, true),
      loadShare(`${at}: ${ours.name}`, best(we)),
      ...playedFigures(`${at}: ${theirs.name}`, they),
      success(`${at}: ${theirs.name}`, they, false),
      speed(`${at}: ${theirBest.name}`, theyAtBest),
      speed(`${at}: ${oursInOneThread.name}`, weAlone),
      speed(`${at}: ${bare.name}`, most),
    );
  }
  return figures;
}

/** Plays the same with all servers in turns, after a round that does not count. */
async function inTurns(
  servers: readonly EchoServer[],
  { sessions, steps: count }: (typeof levels)[number],
): Promise<readonly Turns[]> {
  using load = new LoadGenerator();
  const all: Played[][] = servers.map(() => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, server] of servers.entries()) {
      const played = await load.play(server, sessions, count);
      if (round > 0) all[index]!.push(played);
      // A server may be at work on sessions after their sockets are closed: the next turn is another's.
      await wait(sessions);
    }
  return all;
}

type Outcome = readonly [EchoKind, Turns];

function compared(at: string, [one, ones]: Outcome, [other, others]: Outcome): Figure {
  const name = `${at}: steps of ${one.name} / of ${other.name}`;
  return { name, unit: "×", ...ratio(ones, others) };
}

function ratio(we: Turns, they: Turns): Pick<Figure, "value" | "median"> {
  return {
    value: best(we).stepsPerSecond / best(they).stepsPerSecond,
    median: median(we.map((each, round) => each.stepsPerSecond / they[round]!.stepsPerSecond)),
  };
}

function speed(name: string, all: Turns): Figure {
  return { name, value: best(all).stepsPerSecond, unit: "steps/s" };
}

function playedFigures(name: string, all: Turns): Figure[] {
  const { p50, p95, p99 } = best(all);
  return [
    speed(name, all),
    { name: `${name}, p50`, value: p50, unit: "ms" },
    { name: `${name}, p95`, value: p95, unit: "ms" },
    { name: `${name}, p99`, value: p99, unit: "ms" },
  ];
}

/** Near a whole core, what was measured is the load generator. */
function loadShare(name: string, { loadCores }: Played): Figure {
  const said = loadCores > 0.9 ? " (it was the limit)" : "";
  return {
    name: `${name}, share of a core for the load${said}`,
    value: loadCores * 100,
    unit: "%",
  };
}

function best(all: Turns): Played {
  return all.reduce((most, each) => (each.stepsPerSecond > most.stepsPerSecond ? each : most));
}

/** The share of sessions that came to their end, of all rounds. */
function success(name: string, all: readonly Opened[], isOurs: boolean): Figure {
  const sum = (key: "done" | "sessions"): number =>
    all.reduce((total, each) => total + each[key], 0);
  const problem = all.find((each) => each.problem !== undefined)?.problem;
  const aim = isOurs ? { aim: { at: "least", value: 100 } as const } : {};
  const said = problem === undefined ? "" : ` (${problem})`;
  const value = (sum("done") / sum("sessions")) * 100;
  return { name: `${name}, success${said}`, value, unit: "%", ...aim };
}

/** The memory of idle sessions, and the effect of reopening all of them at once. */
async function idle(kind: EchoKind, aim?: number): Promise<Figure[]> {
  await using server = await kind.start();
  using load = new LoadGenerator();
  // What the server needs for any session at all is there then.
  await load.play(server, 64, 50);
  await wait(settling);
  const before = residentMemory(server.child);
  const held = await load.hold(server, most);
  await wait(settling);
  const weight = ((residentMemory(server.child) - before) * 1024) / held.done;
  const storm = await load.storm();
  const many = `${most.toLocaleString("en")} sessions`;
  const isOurs = aim !== undefined;
  return [
    {
      name: `memory of each of ${many} that do nothing: ${kind.name}`,
      value: weight,
      unit: "KiB",
      ...(isOurs && { aim: { at: "most", value: aim } as const }),
    },
    { name: `${many} opened at once: ${kind.name}`, value: held.seconds, unit: "s" },
    success(`${many} opened at once: ${kind.name}`, [held], isOurs),
    { name: `${many} dropped and opened again: ${kind.name}`, value: storm.seconds, unit: "s" },
    success(`${many} dropped and opened again: ${kind.name}`, [storm], isOurs),
  ];
}
