import {
  assistant,
  defineEnvironment,
  end,
  type Environment,
  type Model,
  policy,
} from "@envs/core";
import { examples } from "@envs/core/engine";
import * as z from "zod";

import type { Table } from "../../src/play/play-context.ts";
import { playSession } from "../../src/play/play-session.ts";

const handful = z.enum(["1", "2", "3"], "Take 1, 2 or 3.").transform(Number);

/** Who takes the last match loses; the state remembers every move. */
export const nim = defineEnvironment({
  name: "nim",
  systemPrompt: "Take 1, 2 or 3 matches. Who takes the last loses.",
  config: z.object({ most: z.int().default(15) }),
  dataset: ({ config: { most } }) =>
    [most, most - 3, most - 6].map((matches) => ({ prompt: `${matches} matches.`, matches })),
  setup: ({ example }) => ({ left: example.matches, moves: [] as number[], isWon: false }),
  async respond({ reply, state, random, opponent }) {
    const take = handful.safeParse(/<take>(.*)<\/take>/.exec(reply)?.[1]);
    if (!take.success) return "That is no move.";
    state.left -= take.data;
    state.moves.push(take.data);
    if (state.left < 1) return end("You took the last.");
    const theirs =
      opponent === undefined ? 1 + random.int(3) : await opponent(`${state.left} left.`, handful);
    state.left -= theirs;
    state.moves.push(theirs);
    if (state.left > 0) return `${state.left} matches.`;
    state.isWon = true;
    return end("You win.");
  },
  opponent: "You take matches second.",
  rubric: { win: ({ state }) => Number(state.isWon) },
  policies: {
    one: ({ random }) => `<why>I like it.</why><take>${1 + random.int(3)}</take>`,
    broken: () => {
      throw new Error("I do not know.");
    },
  },
});

/** Answers with the number of the turn: it would answer otherwise if it were asked a turn twice. */
export function countingModel(): Model & { asked: number } {
  const model = Object.assign(
    async () => {
      model.asked += 1;
      const take = 1 + (model.asked % 3);
      return { message: assistant(`<take>${take}</take>`), finish: "stop" as const };
    },
    { asked: 0 },
  );
  return model;
}

/** Plays with these lines typed, and tells what the person saw. */
export async function typing(
  typed: readonly string[],
  {
    environment = nim(),
    model,
    name = "rival",
  }: { environment?: Environment; model?: Model; name?: string } = {},
) {
  const left = [...typed];
  let seen = "";
  const table: Table = {
    environment,
    seat: model === undefined ? "model" : "opponent",
    other: model && { model, name, sampling: {} },
    seed: 0,
    lines: {
      async read(prompt) {
        const line = left.shift();
        seen += `${prompt}${line ?? ""}\n`;
        return line;
      },
      close: () => {},
    },
    signal: new AbortController().signal,
    write: (text) => void (seen += `${text}\n`),
    wait: () => () => {},
    columns: () => 80,
  };
  const code = await playSession(table, examples(environment));
  return { code, seen, left };
}

export const byPolicy = policy("one");
