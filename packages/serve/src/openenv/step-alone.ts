import type * as z from "zod";

import type { Served } from "../context.ts";
import { readAction } from "./action.ts";
import { type Asker, withGame } from "./games.ts";
import type { choice } from "./reset-query.ts";
import type { Told } from "./told.ts";

interface Step extends z.output<z.ZodObject<typeof choice>> {
  readonly action: unknown;
  readonly timeout_s?: number | null | undefined;
}

/** A step took longer than its trainer wants to wait. */
class LateError extends Error {
  readonly statusCode = 408;
}

/** Takes one step of a fresh episode: of the first example, unless another is asked for. */
export function stepAlone(
  served: Served,
  asker: Asker,
  { action: given, timeout_s, ...asked }: Step,
): Promise<Told> {
  const action = readAction(served, given, ["body", "action"]);
  return withGame(served, asker, async (game) => {
    const late = new LateError(`The step took longer than ${timeout_s} seconds, so it was ended.`);
    const play = async () => {
      if (action.type !== "list_tools")
        await game.reset({ ...asked, index: asked.index ?? (asked.seed == null ? 0 : null) });
      return game.step(action);
    };
    if (timeout_s == null) return play();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late), Math.min(timeout_s * 1000, 2 ** 31 - 1));
    try {
      return await Promise.race([play(), promise]);
    } finally {
      clearTimeout(timer);
    }
  });
}
