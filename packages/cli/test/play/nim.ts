import {
  assistantMessage,
  defineEnvironment,
  end,
  type Environment,
  invalid,
  type Model,
  policy,
} from "@envs/core";
import { examples } from "@envs/core/engine";
import * as z from "zod";

import type { PlayContext } from "../../src/play/play-context.ts";
import { playSession } from "../../src/play/play-session.ts";

const moveSchema = z.enum(["1", "2", "3"], "Take 1, 2 or 3.").transform(Number);

/** The game of Nim. The state records every move, so that two games can be compared. */
export const nim = defineEnvironment({
  name: "nim",
  systemPrompt: "Take 1, 2 or 3 matches. The player who takes the last match loses.",
  config: z.object({ matches: z.int().default(15) }),
  dataset: ({ config }) =>
    [0, 3, 6].map((fewer) => {
      const matches = config.matches - fewer;
      return { prompt: `${matches} matches.`, matches };
    }),
  setup: ({ example }) => ({
    left: example.matches,
    moves: [] as number[],
    next: "first" as "first" | "second",
  }),
  seats: {
    players: {
      first: {},
      second: { description: "You take matches second.", policy: "lucky", prompt: () => [] },
    },
    turn: ({ state }) => state.next,
    observe({ state: { left, next }, seat }) {
      if (left > 0) return seat === "first" ? `${left} matches.` : `${left} left.`;
      return next === seat ? "You win." : "You took the last match.";
    },
  },
  respond({ reply, state, seat }) {
    const take = moveSchema.safeParse(/<take>(.*)<\/take>/.exec(reply)?.[1]);
    if (!take.success) return invalid("Take 1, 2 or 3.");
    state.left -= take.data;
    state.moves.push(take.data);
    state.next = seat === "first" ? "second" : "first";
    return state.left < 1 ? end() : [];
  },
  rubric: { win: ({ state, seat }) => Number(state.left < 1 && state.next === seat) },
  policies: {
    one: ({ random }) => `<why>I like it.</why><take>${1 + random.int(3)}</take>`,
    lucky: ({ state, random }) => `<take>${Math.min(state.left, 1 + random.int(3))}</take>`,
    broken: () => {
      throw new Error("No answer.");
    },
  },
});

/** A model whose answer depends on the number of calls, so that a repeated call would change the game. */
export function countingModel(): Model & { calls: number } {
  const model = Object.assign(
    async () => {
      model.calls += 1;
      const take = 1 + (model.calls % 3);
      return { message: assistantMessage(`<take>${take}</take>`), finish: "stop" as const };
    },
    { calls: 0 },
  );
  return model;
}

/** Plays a session with scripted input. Returns the exit code and the output. */
export async function playLines(
  input: readonly string[],
  {
    environment = nim(),
    model,
    name = "rival",
    judge,
    modelSeat = "first",
    personSeat = "second",
  }: {
    environment?: Environment;
    model?: Model;
    name?: string;
    judge?: Model;
    modelSeat?: string;
    personSeat?: string;
  } = {},
) {
  const lines = [...input];
  let output = "";
  const seats = environment.definition.seats?.players;
  const context: PlayContext = {
    environment,
    seat: seats && (model === undefined ? Object.keys(seats)[0] : personSeat),
    rivals: model === undefined ? {} : { [modelSeat]: { model, name, sampling: {} } },
    judge,
    seed: 0,
    lines: {
      async read(prompt) {
        const line = lines.shift();
        output += `${prompt}${line ?? ""}\n`;
        return line;
      },
      close: () => {},
    },
    signal: new AbortController().signal,
    write: (text) => void (output += `${text}\n`),
    showStatus: () => () => {},
    columns: () => 80,
  };
  const code = await playSession(context, examples(environment));
  return { code, output };
}

export const policyModel = policy("one");
