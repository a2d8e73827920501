import type { Environment, Rollout } from "@envs/core";
import { describeScores, rolloutErrorCodes } from "@envs/core/engine";

import type { Field, FieldValue, Fields } from "./where.ts";

const own: Readonly<Record<string, (rollout: Rollout) => FieldValue>> = {
  reward: (rollout) => (rollout.status === "scored" ? rollout.reward : null),
  turns: ({ trajectory }) => trajectory.length,
  tokens: ({ usage }) => usage.inputTokens + usage.outputTokens,
  truncated: ({ isTruncated }) => Number(isTruncated),
  status: ({ status }) => status,
  stop: (rollout) => (rollout.status === "scored" ? rollout.stopReason : null),
  error: (rollout) => (rollout.status === "failed" ? rollout.error.code : null),
  example: ({ exampleIndex }) => exampleIndex,
  rollout: ({ rolloutIndex }) => rolloutIndex,
};

/** What `--where` may name of these rollouts: their own facts, then their scores. */
export function fieldsOf(rollouts: readonly Rollout[]): Fields {
  const stops = rollouts.flatMap((rollout) =>
    rollout.status === "scored" ? [rollout.stopReason] : [],
  );
  return fieldsNamed(scoreNames(rollouts), stops);
}

/** The same of rollouts that are still to be played. */
export function fieldsToCome({ definition }: Environment): Fields {
  const scores = describeScores(definition).map(({ name }) => name);
  const limits = ["end", "turns", "tokens", "context"];
  return fieldsNamed(scores, [...limits, ...Object.keys(definition.stop ?? {})]);
}

function fieldsNamed(scores: readonly string[], stops: readonly string[]): Fields {
  const texts: Readonly<Record<string, readonly string[]>> = {
    status: ["scored", "failed"],
    stop: [...new Set(stops)],
    error: rolloutErrorCodes,
  };
  const fields = new Map<string, Field>();
  for (const name of Object.keys(own)) {
    const values = texts[name];
    fields.set(name, values === undefined ? { type: "number" } : { type: "text", values });
  }
  for (const name of scores) if (!fields.has(name)) fields.set(name, { type: "number" });
  return fields;
}

/** The names of all scores, in the order of the rubric. */
export function scoreNames(rollouts: readonly Rollout[]): readonly string[] {
  return [
    ...new Set(
      rollouts.flatMap((rollout) =>
        rollout.status === "scored" ? Object.keys(rollout.scores) : [],
      ),
    ),
  ];
}

/** A rollout's own fact or its score of this name; a fact hides a score. */
export function fieldOf(rollout: Rollout, name: string): FieldValue {
  if (Object.hasOwn(own, name)) return own[name]!(rollout);
  if (rollout.status !== "scored" || !Object.hasOwn(rollout.scores, name)) return undefined;
  return rollout.scores[name];
}
