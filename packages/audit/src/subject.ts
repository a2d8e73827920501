import { policy, type Rollout } from "@envs/core";
import { examples, type KeyedExample, policyNamesOf } from "@envs/core/engine";

import { inParallel } from "./in-parallel.ts";
import { leavesOf } from "./leaves.ts";
import { play, type Players, saying } from "./play.ts";

/** The subject of a rule. */
export interface Subject extends Players {
  /** The URL of the module that exports it; `undefined` for an environment that other processes cannot load. */
  readonly module: string | undefined;
  readonly split: string | undefined;
  readonly policies: readonly string[];
  /** The examples that are tried, each with its best known rollout. */
  readonly cases: readonly Case[];
  /** The range of rewards; `undefined` if the best rollouts earn no more than silence. */
  readonly scale: Scale | undefined;
}

/** An example that is tried. */
export interface Case {
  readonly keyed: KeyedExample;
  /** A rollout of the best policy; without policies, of a reply made of the example's own fields. */
  readonly best: Rollout;
  readonly silence: Rollout;
}

/** Rewards as shares: 0 is the reward of empty replies, or a reward of 0; 1 is the reward of the best policy. */
export interface Scale {
  readonly best: number;
  readonly zero: number;
  /** The share that a mean reward is. */
  share(reward: number): number;
}

export interface SubjectOptions extends Omit<Players, "hookTimeout"> {
  readonly module?: string | undefined;
  readonly split?: string | undefined;
  readonly hookTimeout?: number | undefined;
  /** The number of examples that are tried. Default 12. */
  readonly examples?: number | undefined;
}

const defaultExamples = 12;

/** Reads the examples, and plays each once with the best policy and once with silence. */
export async function prepare(options: SubjectOptions): Promise<Subject> {
  const { environment, seed, split, module, examples: count = defaultExamples } = options;
  const players = { ...options, hookTimeout: options.hookTimeout ?? 20_000 };
  const policies = policyNamesOf(environment);
  const rows = await Array.fromAsync(examples(environment, { count, seed, split }));
  const cases = await inParallel(rows, async (keyed) => {
    const silence = await play(players, keyed, saying(""));
    return { keyed, best: await bestRollout(players, keyed, policies[0]), silence };
  });
  return { ...players, module, split, policies, cases, scale: scaleOf(cases) };
}

async function bestRollout(
  players: Players,
  keyed: KeyedExample,
  best: string | undefined,
): Promise<Rollout> {
  if (best !== undefined) return play(players, keyed, policy(best));
  const tried: Rollout[] = [];
  for (const { text } of leavesOf(keyed.example))
    for (const reply of [text, `<answer>${text}</answer>`, `\\boxed{${text}}`])
      tried.push(await play(players, keyed, saying(reply)));
  const scored = tried.filter((rollout) => rollout.status === "scored");
  return (
    scored.toSorted((left, right) => right.reward - left.reward)[0] ??
    (await play(players, keyed, saying("")))
  );
}

function scaleOf(cases: readonly Case[]): Scale | undefined {
  const best = mean(cases.map((one) => rewardIn(one.best)));
  const silence = mean(cases.map((one) => rewardIn(one.silence)));
  const zero = Math.min(0, silence);
  // Silence that earns everything is a finding of the rule floor, which needs the scale.
  if (!(best > zero + 1e-9)) return undefined;
  return { best, zero, share: (reward) => (reward - zero) / (best - zero) };
}

/** The reward of a rollout; 0 for one that failed. */
export function rewardIn(rollout: Rollout): number {
  return rollout.status === "scored" ? rollout.reward : 0;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The texts of the model's messages in the best rollout. */
export function bestReplies({ best }: Case): readonly string[] {
  return best.completion.flatMap((message) =>
    message.role === "assistant" ? [message.content] : [],
  );
}
