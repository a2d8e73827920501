import type { Model } from "@envs/core";
import { judgedScores } from "@envs/core/engine";

import { conversationOf } from "./conversation.ts";
import { inParallel } from "./in-parallel.ts";
import { play, saying } from "./play.ts";
import { counted, type Evidence, notTried, outcome, type RuleOutcome } from "./rule.ts";
import { type Case, mean, rewardIn, type Scale, type Subject } from "./subject.ts";

/** A reply that should earn little. */
export interface Probe {
  readonly variant: string;
  /** Completes "… earns 80% of the best reward". */
  readonly title: string;
  /** The reply in every turn, or a model that writes the replies. `undefined`: it does not apply to this example. */
  readonly reply: (one: Case) => string | Model | undefined;
  /** The share of the best reward that is too much. Default 0.5. */
  readonly limit?: number | undefined;
}

/** Plays each probe on all examples. A probe whose mean reward is surely above its limit is a finding. */
export async function tryProbes(subject: Subject, probes: readonly Probe[]): Promise<RuleOutcome> {
  const { scale, cases } = subject;
  if (scale === undefined) return notTried(noScale(subject));
  const evidence: Evidence[] = [];
  let tried = 0;
  for (const probe of probes) {
    const found = await tryProbe({ ...subject, scale }, probe);
    if (found === undefined) continue;
    tried += 1;
    if (found !== "none") evidence.push(found);
  }
  if (tried === 0) return notTried("no such reply can be made of the best replies");
  return outcome(
    `${counted(tried, "reply").replace(/ys$/, "ies")} × ${counted(cases.length, "example")}`,
    evidence,
  );
}

/** Why rewards cannot be compared with the best. */
export function noScale({ environment, policies, judge, cases }: Subject): string {
  const failed = cases.find(({ best }) => best.status === "failed")?.best;
  if (failed?.status === "failed") return `the best rollouts fail: ${failed.error.message}`;
  if (isUnjudged({ environment, judge })) return "the reward needs a judge: pass --judge";
  return policies.length === 0
    ? "no policies, and no field of the examples is a reply that earns a reward"
    : `policy:${policies[0]} earns no more than silence`;
}

/** Whether scores ask a judge that was not passed, so that rewards lack them. */
export function isUnjudged({
  environment,
  judge,
}: Pick<Subject, "environment" | "judge">): boolean {
  return judge === undefined && judgedScores(environment).length > 0;
}

async function tryProbe(
  subject: Subject & { readonly scale: Scale },
  { variant, title, reply, limit = 0.5 }: Probe,
): Promise<Evidence | "none" | undefined> {
  const { cases, scale } = subject;
  const replies = cases.flatMap((one) => {
    const made = reply(one);
    return made === undefined ? [] : [{ keyed: one.keyed, made }];
  });
  const played = await inParallel(replies, ({ keyed, made }) =>
    play(subject, keyed, typeof made === "string" ? saying(made) : made),
  );
  if (played.length === 0) return undefined;
  const rewards = played.map(rewardIn);
  const share = scale.share(mean(rewards));
  const surely = scale.share(mean(rewards) - 2.58 * standardError(rewards));
  if (!(surely > limit)) return "none";
  const worst = played.toSorted((left, right) => rewardIn(right) - rewardIn(left)).slice(0, 2);
  return {
    variant,
    message: `${title} earns ${percent(share)} of the best reward (${figure(mean(rewards))} of ${figure(scale.best)}) on ${counted(played.length, "example")}`,
    conversations: worst.map((rollout) => conversationOf(title, rollout)),
  };
}

function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  const variance = mean(values.map((value) => (value - center) ** 2));
  return Math.sqrt(variance / (values.length - 1));
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

export function figure(value: number): string {
  return String(Number(value.toFixed(3)));
}
