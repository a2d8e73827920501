import { setTimeout as sleep } from "node:timers/promises";

import { assistant, defineEnvironment } from "@envs/core";

/** An environment without work of its own, whose policies take 50 milliseconds, as a model server does, or none. */
export default defineEnvironment({
  name: "pace",
  *dataset() {
    for (let index = 0; ; index += 1) yield { prompt: `Say ${index}.`, answer: String(index) };
  },
  rubric: { right: ({ reply, example }) => reply === example.answer },
  policies: {
    instant: ({ example }) => assistant(example.answer),
    server: async ({ example }) => {
      await sleep(50);
      return assistant(example.answer);
    },
  },
});
