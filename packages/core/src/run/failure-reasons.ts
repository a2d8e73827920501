import type { RolloutErrorCode } from "../errors.ts";
import type { RolloutFacts } from "./facts.ts";

/** Why rollouts failed, with the first rollout that failed so. */
export interface FailureReason {
  readonly code: RolloutErrorCode;
  readonly message: string;
  readonly count: number;
  readonly exampleIndex: number;
  readonly exampleKey: string;
  readonly rolloutIndex: number;
}

/** The maximum number of distinct messages that are counted. Frequent messages appear early in a run. */
const maxReasons = 1000;

/** Counts the message of a failed rollout. Messages that differ in numbers only count as one. */
export function addReason(
  reasons: Map<string, FailureReason>,
  rollout: Extract<RolloutFacts, { status: "failed" }>,
): void {
  const { error, exampleIndex, exampleKey, rolloutIndex } = rollout;
  const { code, message } = error;
  const pattern = `${code} ${message.slice(0, 500).replaceAll(/\d+/g, "0")}`;
  const known = reasons.get(pattern);
  if (known === undefined && reasons.size === maxReasons) return;
  const first = known ?? { code, message, count: 0, exampleIndex, exampleKey, rolloutIndex };
  reasons.set(pattern, { ...first, count: first.count + 1 });
}

/** The tool calls that failed because the tool threw, and the most frequent reason. */
export interface ToolErrorSummary {
  readonly count: number;
  readonly message: string | undefined;
}

const maxDistinctMessages = 100;

/** Counts why tools threw. */
export class ToolErrors {
  #count = 0;
  readonly #counts = new Map<string, number>();

  add(messages: readonly string[] = []): void {
    this.#count += messages.length;
    for (const message of messages)
      if (this.#counts.has(message) || this.#counts.size < maxDistinctMessages)
        this.#counts.set(message, (this.#counts.get(message) ?? 0) + 1);
  }

  summary(): ToolErrorSummary {
    const [mostFrequent] = [...this.#counts].toSorted(([, a], [, b]) => b - a);
    return { count: this.#count, message: mostFrequent?.[0] };
  }
}
