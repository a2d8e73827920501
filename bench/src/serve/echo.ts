import { defineEnvironment } from "@envs/core";

/** Repeats each message, like the environment of OpenEnv's template. */
export default defineEnvironment({
  name: "echo",
  description: "Repeats each message",
  dataset: () => [{ prompt: "Echo environment ready!" }],
  respond: ({ reply }) => reply,
  episode: { maxTurns: 1_000_000 },
  rubric: { length: ({ reply }) => Math.min(reply.length * 0.1, 1) },
});
