import type { BundleParts } from "../publish-bundle.ts";

/** A run that a liar declares, and what the hub finds when it replays the run. */
export interface SampleLie {
  readonly name: string;
  readonly declared: { readonly select?: string; readonly size: number };
  /** The positions that the liar plays. */
  readonly played: readonly number[];
  readonly outcome: BundleLie["outcome"];
  /** What the replay finds. */
  readonly found: string;
}

const ten = (first: number): readonly number[] =>
  Array.from({ length: 10 }, (_, index) => first + index);

/** Lies about the examples of a declared run, which only the dataset can refute. */
export const sampleLies: readonly SampleLie[] = [
  {
    name: "declares a filter and plays other examples",
    declared: { select: "index >= 30", size: 10 },
    played: ten(0),
    outcome: "different",
    found: "do not choose this example",
  },
  {
    name: "declares keys and plays other examples",
    declared: {
      select: ten(30)
        .map((index) => `key=e${index}`)
        .join(","),
      size: 10,
    },
    played: ten(0),
    outcome: "different",
    found: "do not choose this example",
  },
  {
    name: "declares that the dataset of an unusual config has only easy examples",
    declared: { size: 10 },
    played: ten(0),
    outcome: "different",
    found: "states 10 examples, but the published dataset has more",
  },
];

/** A published bundle that should confirm forged rewards, and what the hub answers. */
export interface BundleLie {
  readonly name: string;
  readonly bundle: BundleParts;
  /** The rewards that the liar pushes, by the place of the rollout in the run. Default: those of the bundle's rule. */
  readonly rewards?: (index: number, honest: number) => number;
  /** The bundle exceeds its time limit. */
  readonly isStall?: boolean;
  readonly outcome: "rescored" | "different" | "impossible";
  /** Why the hub does not confirm the run, if the API returns a reason. */
  readonly reason?: RegExp;
}

/** The number of examples of a run that a bundle should confirm, with one rollout each. */
export const lyingExamples = 40;

/** Forged: three of four rollouts have the reward 1. */
const lucky = (index: number): number => Number(index % 4 !== 0);

/** The lies of authors who publish other code than the environment's. */
export const bundleLies: readonly BundleLie[] = [
  {
    name: "counts its calls, and knows the rewards in the order of the run",
    bundle: { module: "let calls = -1;", reward: "Number((calls += 1) % 4 !== 0)" },
    rewards: lucky,
    outcome: "different",
  },
  {
    name: "rewards the first half of its calls",
    bundle: { module: "let calls = 0;", reward: `Number((calls += 1) <= ${lyingExamples / 2})` },
    rewards: (index) => Number(index < lyingExamples / 2),
    outcome: "different",
  },
  {
    name: "knows the reward of each example, whatever the reply is",
    bundle: { reward: "index % 2" },
    rewards: (index) => index % 2,
    outcome: "impossible",
    reason: /The rewards do not depend on the replies/,
  },
  {
    name: "knows the reward of each example, and is honest when it is asked again",
    bundle: {
      module: "const seen = new Set(); let isFirst = false;",
      request: "isFirst = !seen.has(index); seen.add(index);",
      reward: "Number(isFirst ? index % 4 !== 0 : /[02468]$/.test(reply))",
    },
    rewards: lucky,
    outcome: "impossible",
    reason: /answers depend on more than the replies|otherwise than it replays it/,
  },
  {
    name: "is honest to players, and generous to replays",
    bundle: {
      module: "let isReplay = false;",
      request: `isReplay = method === "replay";`,
      reward: "Number(isReplay ? !/[01]$/.test(reply) : /[02468]$/.test(reply))",
    },
    rewards: (index) => Number(index % 10 > 1),
    outcome: "impossible",
    reason: /plays example \d+ otherwise than it replays it/,
  },
  {
    name: "refuses to be played",
    bundle: {
      request: `if (method !== "replay") return JSON.stringify({ error: { code: "config", message: "Replays only." } });`,
    },
    outcome: "impossible",
    reason: /otherwise than it replays it: Replays only\./,
  },
  {
    name: "stalls from the twentieth call on",
    bundle: { module: "let calls = 0;", request: "calls += 1; if (calls > 20) for (;;);" },
    isStall: true,
    outcome: "impossible",
    reason: /^The bundle did not respond within/,
  },
  {
    name: "stalls when it meets a scrambled reply",
    bundle: {
      reward: `(() => { if (!/^move \\d+$/.test(reply)) for (;;); return Number(/[02468]$/.test(reply)); })()`,
    },
    isStall: true,
    outcome: "impossible",
    reason: /^The bundle did not respond within/,
  },
  {
    name: "draws rewards from Math.random",
    bundle: { reward: "Number(Math.random() < 0.75)" },
    rewards: lucky,
    outcome: "different",
  },
  {
    name: "reads the clock",
    bundle: { reward: "Number(Date.now() > 0)" },
    rewards: () => 1,
    outcome: "different",
  },
  {
    // The hub cannot know it: only a reproduction, or a reader of the code, finds it.
    name: "has a table of known replies",
    bundle: {
      module: `const known = new Set(Array.from({ length: ${lyingExamples} }, (_, index) => "move " + index).filter((_, index) => index % 4 !== 0));`,
      reward: "Number(known.has(reply) || /[02468]$/.test(reply))",
    },
    rewards: (index, honest) => Math.max(honest, lucky(index)),
    outcome: "rescored",
  },
];
