import type * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import type { exampleFields } from "../sessions/reset-query.ts";
import { readAction } from "./action.ts";
import type { StepResult } from "./observation.ts";
import { type SessionRequest, withSession } from "./openenv-sessions.ts";

interface StepBody extends z.output<z.ZodObject<typeof exampleFields>> {
  readonly action: unknown;
  readonly timeout_s?: number | null | undefined;
}

class StepTimeoutError extends Error {
  override readonly name = "StepTimeoutError";
  readonly statusCode = 408;
}

/** Takes one step of a new episode: of the first example, unless the body selects another. */
export function singleStep(
  environment: ServedEnvironment,
  request: SessionRequest,
  { action: sentAction, timeout_s, ...fields }: StepBody,
): Promise<StepResult> {
  const action = readAction(environment, sentAction, ["body", "action"]);
  return withSession(environment, request, async (session) => {
    const step = async () => {
      if (action.type !== "list_tools")
        await session.reset({ ...fields, index: fields.index ?? (fields.seed == null ? 0 : null) });
      return session.step(action);
    };
    if (timeout_s == null) return step();
    const error = new StepTimeoutError(`The step took longer than ${timeout_s} seconds.`);
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(error), Math.min(timeout_s * 1000, 2 ** 31 - 1));
    try {
      return await Promise.race([step(), promise]);
    } finally {
      clearTimeout(timer);
    }
  });
}
