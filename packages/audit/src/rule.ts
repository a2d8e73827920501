import type { Conversation } from "./conversation.ts";
import type { Subject } from "./subject.ts";

/** How much a finding matters: `high`: rewards mislead; `medium`: they may; `low`: numbers get less precise. */
export type Severity = "high" | "medium" | "low";

/** One fault that a rule found. */
export interface Evidence {
  /** A key that distinguishes it from other findings of its rule, such as `silence`. Empty if the rule finds only one thing. */
  readonly variant: string;
  /** What happened, with the values. */
  readonly message: string;
  /** Conversations that show it. */
  readonly conversations: readonly Conversation[];
}

/** The conclusion of a rule. */
export interface RuleOutcome {
  /** The examples and replies, such as `12 examples, 3 replies`; or the reason why none was tried. */
  readonly tried: string;
  readonly isTried: boolean;
  readonly evidence: readonly Evidence[];
}

/** One question about an environment. */
export interface Rule {
  /** Kebab-case, permanent. */
  readonly id: string;
  readonly severity: Severity;
  /** A sentence that is true of a sound environment. */
  readonly asks: string;
  /** How the rule decides. */
  readonly decides: string;
  /** The remedy of the author for a finding. */
  readonly remedy: string;
  check(subject: Subject): Promise<RuleOutcome>;
}

/** The outcome of a rule that does not apply, or that lacks something. `reason` completes "not tried: …". */
export function notTried(reason: string): RuleOutcome {
  return { tried: reason, isTried: false, evidence: [] };
}

/** The outcome of a rule that was applied. */
export function outcome(tried: string, evidence: readonly Evidence[]): RuleOutcome {
  return { tried, isTried: true, evidence };
}

/** `1 example`, `2 examples`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
