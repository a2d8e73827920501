import { setTimeout as sleep } from "node:timers/promises";

import { assistantMessage, defineEnvironment } from "@envs/core";

/** An environment that does nothing, with one policy that takes 50 milliseconds, as a model server does, and one that takes none. */
export default defineEnvironment({
  name: "pace",
  *dataset() {
    for (let index = 0; ; index += 1) yield { prompt: `Repeat ${index}.`, answer: String(index) };
  },
  rubric: { right: ({ reply, example }) => reply === example.answer },
  policies: {
    instant: ({ example }) => assistantMessage(example.answer),
    server: async ({ example }) => {
      await sleep(50);
      return assistantMessage(example.answer);
    },
  },
});
