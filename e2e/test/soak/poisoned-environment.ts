import { setTimeout as sleep } from "node:timers/promises";

import { assistantMessage, defineEnvironment } from "@envs/core";

/** What the code of an example does to its process. */
const poisons: Readonly<Record<number, () => void>> = {
  17: () => process.kill(process.pid, "SIGKILL"),
  90: () => process.exit(7),
  151: () => {
    for (;;);
  },
};

/** The indices of the examples that end their process, or hold its thread. */
export const poisoned: readonly number[] = Object.keys(poisons).map(Number);

/** Rollouts of 50 ms, of which three kill their worker. */
export default defineEnvironment({
  name: "poisoned",
  description: "Repeat a number; some examples end their process",
  *dataset() {
    for (let index = 0; ; index += 1) yield { prompt: String(index) };
  },
  rubric: {
    right: async ({ reply, example }) => {
      await sleep(50);
      poisons[Number(example.prompt)]?.();
      return reply === example.prompt;
    },
  },
  policies: { right: ({ example }) => assistantMessage(example.prompt) },
});
