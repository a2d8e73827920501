import { defineEnvironment } from "@envs/core";

/** Says back what is said to it, like the environment that OpenEnv's template makes. */
export default defineEnvironment({
  name: "echo",
  description: "Says back what is said to it",
  maxTurns: 1_000_000,
  dataset: () => [{ prompt: "Echo environment ready!" }],
  respond: ({ reply }) => reply,
  rubric: { length: ({ reply }) => Math.min(reply.length * 0.1, 1) },
});
