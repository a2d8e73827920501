import type { Message, Rollout } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";

import type { ViewedRun } from "../../src/runs/run-folder.ts";

const noTime = { start: 0, end: 0 };

/** A rollout with a reward and a conversation; a failed one if the reward is `undefined`. */
export function playedRollout(
  exampleIndex: number,
  reward: number | undefined,
  completion: readonly Message[] = [{ role: "assistant", content: `reply ${exampleIndex}` }],
): Rollout {
  const base = {
    environment: "counting",
    example: { prompt: "How many?" },
    exampleIndex,
    exampleKey: `key-${exampleIndex}`,
    rolloutIndex: 0,
    prompt: [{ role: "user", content: "How many?" }] as const,
    completion,
    trajectory: completion.flatMap((message) =>
      message.role === "assistant"
        ? ([
            {
              seen: 1,
              message,
              finish: "stop",
              usage: undefined,
              tokens: undefined,
              model: noTime,
              environment: noTime,
            },
          ] as const)
        : [],
    ),
    isTruncated: false,
    isFiltered: false,
    usage: { inputTokens: 0, outputTokens: 0 },
    timing: { setup: noTime, generation: noTime, scoring: noTime },
  };
  if (reward !== undefined)
    return { status: "scored", ...base, stopReason: "end", reward, scores: { right: reward } };
  const chain = ["RolloutError: The server has closed.", "TypeError: fetch failed"];
  const error = {
    code: "model",
    message: "The server has closed.",
    chain,
    isFatal: false,
  } as const;
  return { status: "failed", ...base, error };
}

/** A run with the given rollouts, as `openRun` returns it. */
export function viewedRun(rollouts: readonly Rollout[]): ViewedRun {
  const sum = createSummarizer(["right"]);
  for (const rollout of rollouts) sum.add(rollout);
  return {
    path: "/runs/one",
    metadata: {
      schema_version: 1,
      env_id: "counting",
      env_args: {},
      model: "policy:perfect",
      num_examples: rollouts.length,
      rollouts_per_example: 1,
      sampling_args: {},
      pass_threshold: 0.5,
    },
    rollouts,
    problems: [],
    summary: sum.summary(),
    weights: { right: 1 },
  };
}
