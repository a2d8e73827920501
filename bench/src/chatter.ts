import { assistantMessage, defineEnvironment, end, type Model } from "@envs/core";

/** A conversation of four turns with almost no logic, so that a run measures the engine. */
const define = defineEnvironment({
  name: "chatter",
  *dataset() {
    for (let number = 0; ; number += 1) yield { prompt: `Hello ${number}.` };
  },
  setup: () => ({ replies: 0 }),
  respond({ state }) {
    state.replies += 1;
    return state.replies === 4 ? end() : "Go on.";
  },
  episode: { maxTurns: 4 },
  rubric: { replies: ({ state }) => state.replies },
});

export default define;

export const chatter: ReturnType<typeof define> = define();

const response = { message: assistantMessage("Yes."), finish: "stop" } as const;

/** A model in this process that answers after `delay` milliseconds; without a timer if `delay` is 0. */
export function waitingModel(delay: number): Model {
  if (delay === 0) return async () => response;
  return () => new Promise((resolve) => setTimeout(resolve, delay, response));
}
