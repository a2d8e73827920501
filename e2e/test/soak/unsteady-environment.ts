import { defineEnvironment } from "@envs/core";

/** An environment whose code fails in each way that a server must survive, as the reply requests. */
export default defineEnvironment({
  name: "unsteady",
  description: "Repeats each message, or fails as requested",
  dataset: () => [{ prompt: "Send a message." }],
  respond: async ({ reply }) => {
    switch (reply) {
      case "throw":
        throw new Error("The environment throws.");
      case "loop":
        for (;;);
      case "hang":
        return new Promise<never>(() => undefined);
      case "reject":
        void Promise.reject(new Error("The environment ignores a rejection."));
        return reply;
      case "exit":
        process.exit(3);
      default:
        return reply;
    }
  },
  episode: { maxTurns: 1_000_000 },
  rubric: { length: ({ reply }) => Math.min(reply.length * 0.1, 1) },
});
