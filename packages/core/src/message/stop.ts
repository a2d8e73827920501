import { RolloutError } from "../errors.ts";
import type { HookScope } from "../hook-scope.ts";
import { type MediaLimits, messagesProblem, textOnly } from "./check-content.ts";
import { areMessages, asMessages, type Message } from "./message.ts";

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
function isLimit(reason: StopReason): boolean {
  return reason === "turns" || reason === "tokens" || reason === "context";
}

/** Whether the engine uses a stop reason, so that no stop condition can have its name. */
export function isReserved(name: string): boolean {
  return name === "end" || isLimit(name);
}

/** What {@link end} returns. */
export interface End<Last = string | readonly Message[] | undefined> {
  readonly end: true;
  readonly last: Last;
}

/**
 * Ends the episode when `respond` or a tool returns it. `last` is what the hook would return otherwise: text or messages, in a
 * tool also any other value, which becomes JSON.
 */
export function end(): End<undefined>;
export function end<const Last>(last: Last): End<Last>;
export function end(last?: unknown): End<unknown> {
  return { end: true, last };
}

/** What {@link invalid} returns. */
export interface Invalid {
  readonly invalid: true;
  readonly answer: string | readonly Message[];
}

/**
 * Rejects a reply that is not legal, when `respond` returns it: the state stays as it is, and the model is asked again with
 * `answer`. Players and the conformance suite see that the reply was rejected; the turn counts.
 */
export function invalid(answer: string | readonly Message[]): Invalid {
  return { invalid: true, answer };
}

function isInvalid(value: unknown): value is Invalid {
  return (
    typeof value === "object" && value !== null && "invalid" in value && value.invalid === true
  );
}

/** Whether a value is the result of {@link end}. */
export function isEnd(value: unknown): value is End<unknown> {
  return typeof value === "object" && value !== null && "end" in value && value.end === true;
}

/** Reads what `respond` or `observe` returned. Throws a `RolloutError` for other values than text, messages, `end()` and `invalid()`. */
export function readAnswer(
  answer: unknown,
  limits: MediaLimits = textOnly,
  hook: "respond" | "observe" = "respond",
): {
  readonly messages: readonly Message[];
  readonly isEnd: boolean;
  readonly isInvalid: boolean;
} {
  const hasEnded = isEnd(answer);
  const isRejected = isInvalid(answer);
  const last = hasEnded ? (answer.last ?? []) : isRejected ? answer.answer : answer;
  const problem = areMessages(last) ? messagesProblem(last, limits) : undefined;
  if (problem !== undefined)
    throw new RolloutError(
      "environment",
      `${hook} returned messages that are not valid: ${problem}.`,
    );
  if (typeof last === "string" || areMessages(last) || isEmpty(last))
    return { messages: asMessages(last), isEnd: hasEnded, isInvalid: isRejected };
  const value = Array.isArray(last) ? "a list of other values than messages" : String(last);
  throw new RolloutError(
    "environment",
    `${hook} returned ${value}. It must return text${hook === "respond" ? ", a list of messages, end() or invalid()" : " or a list of messages"}.`,
  );
}

function isEmpty(value: unknown): value is readonly [] {
  return Array.isArray(value) && value.length === 0;
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
