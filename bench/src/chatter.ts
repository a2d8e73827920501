import { assistant, defineEnvironment, end, type Model } from "@envs/core";

/** A conversation of four turns that does next to nothing. */
const define = defineEnvironment({
  name: "chatter",
  maxTurns: 4,
  *dataset() {
    for (let number = 0; ; number += 1) yield { prompt: `Hello ${number}.` };
  },
  setup: () => ({ said: 0 }),
  respond({ state }) {
    state.said += 1;
    return state.said === 4 ? end() : "Go on.";
  },
  rubric: { said: ({ state }) => state.said },
});

export const chatter: ReturnType<typeof define> = define();

const response = { message: assistant("Yes."), finish: "stop" } as const;

/** A model in this process that answers after `delay` milliseconds; at once if that is 0. */
export function waitingModel(delay: number): Model {
  if (delay === 0) return async () => response;
  return () => new Promise((resolve) => setTimeout(resolve, delay, response));
}
