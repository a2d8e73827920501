import type { Figure } from "./figure.ts";
import { call, type CallTime } from "./gateway/calls.ts";
import { conversations, type SentMessage } from "./gateway/conversations.ts";
import {
  type Contender,
  startOurs,
  startPortkey,
  startProxy,
  startUpstream,
  startVerifiers,
} from "./gateway/peers.ts";
import { median } from "./rounds.ts";

const streams = 1000;
const tokens = 30;
const [roundCount, callsPerRound] = [12, 100];
const [longRounds, longCalls] = [6, 10];
const mebibyte = 2 ** 20;

/** What gateways add to a call, and what 1,000 streams at once cost: ours, verifiers' and Portkey's, each in its own process. */
export async function gateway(): Promise<readonly Figure[]> {
  const upstream = await startUpstream(tokens);
  const peers: Contender[] = [];
  try {
    peers.push(await startOurs(upstream.origin, streams));
    for (const start of [startVerifiers, startPortkey])
      try {
        peers.push(await start(upstream.origin, streams));
      } catch (error) {
        process.stderr.write(`gateway: skipped ${start.name}. ${String(error)}\n`);
      }
    const proxy = await startProxy(upstream.origin);
    const long = await longConversations(upstream, [proxy, ...peers]).finally(proxy.close);
    return [
      ...(await overheads(upstream, peers)),
      ...long,
      ...(await concurrentStreams([upstream, ...peers])),
    ];
  } finally {
    for (const { close } of [...peers, upstream]) close();
  }
}

interface Load {
  readonly rounds: number;
  readonly calls: number;
  readonly earlier?: readonly SentMessage[] | undefined;
  /** The session of all calls. Default: each has its own. */
  readonly session?: number | undefined;
}

/**
 * Measures single calls, alternating between the contenders. The overhead of a round is the overhead of its median call. Returns the
 * times of direct calls, and the function from a contender to its overhead.
 */
async function overheadsOf(upstream: Contender, peers: readonly Contender[], load: Load) {
  const medians = new Map<Contender, number[]>();
  for (let round = 0; round <= load.rounds; round += 1)
    for (const contender of [upstream, ...peers]) {
      const times: CallTime[] = [];
      for (let each = 0; each < load.calls; each += 1) {
        const index = round * load.calls + each;
        times.push(await call(contender, { ...load, index, isStream: false }));
      }
      // The first round is a warm-up.
      if (round > 0)
        medians.set(contender, [...(medians.get(contender) ?? []), medianOf(times, "whole")]);
    }
  const direct = medians.get(upstream)!;
  const overheadOf = (contender: Contender): { value: number; median: number } => {
    const added = medians.get(contender)!.map((time, round) => time - direct[round]!);
    return { value: Math.min(...added), median: median(added) };
  };
  return { direct, overheadOf };
}

/** What gateways add to calls of a megabyte, beside a proxy that reads nothing. Aim: 1 ms, and 3 ms for each megabyte. */
async function longConversations(
  upstream: Contender,
  [proxy, ...peers]: readonly [Contender, ...Contender[]],
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const sizes = Object.entries(conversations);
  const cases = sizes.flatMap(([size, earlier], session) => [
    { size: `${size}, first calls`, load: { earlier } },
    { size: `${size}, later calls of a session`, load: { earlier, session } },
  ]);
  for (const { size, load: special } of cases) {
    const load = { rounds: longRounds, calls: longCalls, ...special };
    const { overheadOf } = await overheadsOf(upstream, [proxy, ...peers], load);
    for (const [index, contender] of [proxy, ...peers].entries()) {
      const aim = index === 1 ? ({ at: "most", value: 4 } as const) : undefined;
      const name = `${size}: overhead of ${contender.name}`;
      figures.push({ name, ...overheadOf(contender), unit: "ms", aim });
    }
  }
  return figures;
}

async function overheads(upstream: Contender, peers: readonly Contender[]) {
  const load = { rounds: roundCount, calls: callsPerRound };
  const { direct, overheadOf } = await overheadsOf(upstream, peers, load);
  const [ours, ...others] = peers;
  const aim = { at: "most", value: 1 } as const;
  return [
    { name: "a direct call", value: Math.min(...direct), median: median(direct), unit: "ms" },
    { name: "overhead per call: ours", ...overheadOf(ours!), unit: "ms", aim },
    ...others.flatMap((other): readonly Figure[] => [
      { name: `overhead per call: ${other.name}`, ...overheadOf(other), unit: "ms" },
      {
        name: `overhead of ${other.name} / ours`,
        value: overheadOf(other).value / overheadOf(ours!).value,
        median: overheadOf(other).median / overheadOf(ours!).median,
        unit: "×",
      },
    ]),
  ] satisfies readonly Figure[];
}

async function concurrentStreams(contenders: readonly Contender[]): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const contender of contenders) {
    // A first run opens the connections, and lets the memory grow to what the process keeps.
    await Promise.allSettled(streamsOf(contender, 100));
    const before = contender.memory();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, contender.memory())), 50);
    const settled = await Promise.allSettled(streamsOf(contender, streams));
    clearInterval(timer);
    const times = fulfilled(settled);
    const failures = settled.length - times.length;
    const name = `${streams} streams at once, ${contender.name}`;
    figures.push(
      { name: `${name}: failed`, value: failures, unit: "" },
      { name: `${name}: first token, median`, value: medianOf(times, "first"), unit: "ms" },
      { name: `${name}: whole reply, median`, value: medianOf(times, "whole"), unit: "ms" },
      {
        name: `${name}: memory per open stream`,
        value: (peak - before) / streams / 1024,
        unit: "KiB",
      },
      { name: `${name}: memory at the start`, value: before / mebibyte, unit: "MiB" },
    );
  }
  for (const contender of contenders) {
    const alone: CallTime[] = [];
    for (let index = 0; index < 5; index += 1)
      alone.push(...fulfilled(await Promise.allSettled(streamsOf(contender, 1))));
    const value = medianOf(alone, "first");
    figures.push({ name: `one stream, ${contender.name}: first token, median`, value, unit: "ms" });
  }
  return figures;
}

function streamsOf(contender: Contender, count: number): readonly Promise<CallTime>[] {
  return Array.from({ length: count }, (_, index) => call(contender, { index, isStream: true }));
}

function fulfilled(settled: readonly PromiseSettledResult<CallTime>[]): readonly CallTime[] {
  return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

function medianOf(times: readonly CallTime[], field: keyof CallTime): number {
  return times.length === 0 ? Number.NaN : median(times.map((time) => time[field]));
}
