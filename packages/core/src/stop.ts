import { boundary } from "./errors.ts";

/**
 * Why an episode ended.
 *
 * - `end`: the environment ended it, or there was nothing left to answer.
 * - `turns`: `maxTurns` was reached. Truncation, scored.
 * - `tokens`: the rollout's token limit was reached. Truncation, scored.
 * - `context`: the conversation no longer fits the model. Truncation, scored.
 * - any other name: the environment's stop condition of that name.
 */
export type StopReason = "end" | "turns" | "tokens" | "context" | (string & {});

/** Tells a limit from an end that the environment chose. */
export function isLimit(reason: StopReason): boolean {
  return reason === "turns" || reason === "tokens" || reason === "context";
}

/** Whether a name belongs to the engine, so that no stop condition may have it. */
export function isReserved(name: string): boolean {
  return name === "end" || isLimit(name);
}

/** Ends an episode, with an optional last message to the model. */
export interface End {
  readonly end: true;
  readonly message: string | undefined;
}

/** Ends the episode from `respond` or a tool; the model still sees `message`. */
export function end(message?: string): End {
  return { end: true, message };
}

/** Recognises what {@link end} made. */
export function isEnd(value: unknown): value is End {
  return typeof value === "object" && value !== null && "end" in value && value.end === true;
}

/** The first of an environment's stop conditions that holds. */
export async function heldCondition<Context>(
  conditions: Readonly<Record<string, (context: Context) => boolean | Promise<boolean>>>,
  context: Context,
): Promise<string | undefined> {
  for (const [name, holds] of Object.entries(conditions)) {
    const what = `the stop condition ${name}`;
    if (await boundary("environment", what, () => holds(context))) return name;
  }
  return undefined;
}
