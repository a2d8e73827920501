import * as z from "zod";

import type { Served } from "../context.ts";
import { shownAction } from "./action.ts";
import { observation, state } from "./told.ts";

/** What `/schema` answers: JSON Schemas of what is sent and received. */
export const schemas = z.object({
  action: z.looseObject({}),
  observation: z.looseObject({}),
  state: z.looseObject({}),
});

/** The schemas of an environment. */
export function schemasOf(served: Served): z.output<typeof schemas> {
  return {
    action: { ...z.toJSONSchema(shownAction(served), { io: "input" }) },
    observation: { ...z.toJSONSchema(observation) },
    state: { ...z.toJSONSchema(state) },
  };
}
