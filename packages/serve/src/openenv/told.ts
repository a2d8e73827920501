import * as z from "zod";

import type { Outcome } from "../host/host.ts";

const scores = z.record(z.string(), z.number().nullable());

const ending = {
  stop_reason: z.string().optional().describe("Why the episode ended; only at the end"),
  is_truncated: z.boolean().optional().describe("Whether a limit ended it; only at the end"),
  scores: scores.optional().describe("By name; null where one does not apply; only at the end"),
};

const toolError = z.object({
  error_type: z.enum(["tool_not_found", "invalid_args"]),
  message: z.string(),
});

/** What the answer to any action may hold besides the reward. */
export const observation = z
  .object({
    system_prompt: z.string().optional().describe("At a reset, if there is one"),
    text: z.string().optional().describe("What the model is shown; not after a call of a tool"),
    tools: z
      .array(
        z.object({ name: z.string(), description: z.string(), input_schema: z.looseObject({}) }),
      )
      .optional()
      .describe("After list_tools"),
    tool_name: z.string().optional().describe("After a call of a tool"),
    result: z.string().nullable().optional().describe("What the tool said"),
    error: toolError.nullable().optional().describe("Why no tool was called"),
    ...ending,
  })
  .meta({ title: "Observation" });

/** An answer to a reset or a step. */
export const told = z.object({
  observation,
  reward: z.number().nullable().describe("Given once, at the end"),
  done: z.boolean(),
});

export type Observation = z.output<typeof observation>;
export type Told = z.output<typeof told>;

/** What is known of a session between its steps. */
export const state = z
  .object({
    episode_id: z.string().nullable(),
    step_count: z.int().min(0),
    task: z.object({ split: z.string(), index: z.int(), id: z.string() }).nullable(),
    done: z.boolean(),
    reward: z.number().nullable().describe("Of an episode that is done"),
    ...ending,
  })
  .meta({ title: "State" });

export type State = z.output<typeof state>;

/** The fields of an observation that tell of the end. */
export function endingOf(outcome: Outcome | undefined): Pick<Observation, keyof typeof ending> {
  if (outcome === undefined) return {};
  const { stopReason, isTruncated } = outcome;
  return { stop_reason: stopReason, is_truncated: isTruncated, scores: { ...outcome.scores } };
}
