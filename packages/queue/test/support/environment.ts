import { defineEnvironment, type Model, type Rollout } from "@envs/core";
import { toRow } from "@envs/records";
import * as z from "zod";

/** An environment with two turns, its own randomness, and a group score. */
export const guess = defineEnvironment({
  name: "guess",
  config: z.object({ isRanked: z.boolean().default(true) }),
  *dataset({ random }) {
    for (let index = 0; ; index += 1) yield { prompt: `${index}: ${random.int(100)}?` };
  },
  setup: ({ random }) => ({ secret: random.int(4) }),
  respond: ({ state, random }) => [
    { role: "user", content: `no, ${state.secret ^ random.int(4)}` },
  ],
  episode: { maxTurns: 3 },
  rubric: {
    length: { weight: 0.1, score: ({ reply }) => reply.length },
    longest: {
      weight: 1,
      group: (rollouts) => {
        const lengths = rollouts.map(({ reply }) => reply.length);
        return lengths.map((length) => (length === Math.max(...lengths) ? 1 : 0));
      },
    },
    hit: ({ reply, state }) => (reply.endsWith(String(state.secret)) ? 1 : 0),
  },
});

/** A model whose reply depends on the request's seed, like that of a sampling server. */
export const seededModel: Model = Object.assign(
  async ({ seed = 0, messages }: Parameters<Model>[0]) => ({
    message: { role: "assistant" as const, content: `${messages.length} ${seed % 7}` },
    finish: "stop" as const,
    usage: { inputTokens: messages.length, outputTokens: 2 },
  }),
  { id: "seeded" },
);

/** The row of a rollout without times, in the order of the dataset. */
export function rowsWithoutTimes(rollouts: readonly Rollout[]): readonly string[] {
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .map((rollout) =>
      JSON.stringify(toRow(rollout), (key, value: unknown) =>
        ["timing", "model", "env"].includes(key) ? null : value,
      ),
    );
}
