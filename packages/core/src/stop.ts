import type { HookScope } from "./hook-scope.ts";

/**
 * Why an episode ended.
 *
 * - `end`: the environment ended it, or it does not answer replies.
 * - `turns`: `maxTurns` was reached. The rollout is truncated and scored.
 * - `tokens`: the rollout's token limit was reached. The rollout is truncated and scored.
 * - `context`: the conversation no longer fits the model's context. The rollout is truncated and scored.
 * - any other name: the environment's stop condition of that name.
 */
export type StopReason = "end" | "turns" | "tokens" | "context" | (string & {});

/** Whether a stop reason is a limit, so that the rollout counts as truncated. */
export function isLimit(reason: StopReason): boolean {
  return reason === "turns" || reason === "tokens" || reason === "context";
}

/** Whether the engine uses a stop reason, so that no stop condition can have its name. */
export function isReserved(name: string): boolean {
  return name === "end" || isLimit(name);
}

/** What {@link end} returns. */
export interface End {
  readonly end: true;
  readonly message: string | undefined;
}

/** Ends the episode when `respond` or a tool returns it. The conversation gets `message` as its last message. */
export function end(message?: string): End {
  return { end: true, message };
}

/** Whether a value is the result of {@link end}. */
export function isEnd(value: unknown): value is End {
  return typeof value === "object" && value !== null && "end" in value && value.end === true;
}

/** Returns the name of the first stop condition that is true, in the order of the definition. */
export async function matchingStopCondition<Context>(
  conditions: Readonly<Record<string, (context: Context) => boolean | Promise<boolean>>>,
  context: Context,
  scope: HookScope,
): Promise<string | undefined> {
  for (const [name, isMet] of Object.entries(conditions)) {
    const operation = `the stop condition ${name}`;
    if (await scope.run("environment", operation, () => isMet(context))) return name;
  }
  return undefined;
}
