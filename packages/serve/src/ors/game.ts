import type { Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import { quoted } from "../quoted.ts";
import type { ServedTools } from "../served-tools.ts";
import type { Session, SessionReport } from "../session.ts";
import { openingText, textOf } from "../text.ts";
import { Refusal } from "./refusal.ts";
import type { CallResult } from "./schemas.ts";

/** How many calls of one session may be under way or waiting. */
const mostCalls = 64;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The episode of a session as ORS sees it: a prompt, and calls of tools. */
export class Game {
  readonly session: Session;
  readonly tools: ServedTools;
  readonly #opening: Promise<SessionReport>;
  #made = 0;
  #open = 0;
  #isEndTold = false;

  constructor(session: Session, { tools }: Served, opening: Promise<SessionReport>) {
    this.session = session;
    this.tools = tools;
    this.#opening = opening;
  }

  /** The texts that the model is shown at the start, as soon as the environment is set up. Some trainers put nothing between. */
  async prompt(): Promise<string[]> {
    const { systemPrompt, text } = openingText((await this.#opening).messages);
    return systemPrompt === undefined ? [text] : [`${systemPrompt}\n\n`, text];
  }

  /** Calls a tool, and gives the result as JSON. Throws a {@link Refusal} if too many calls wait. */
  call(name: string, input: unknown): Promise<string> {
    if (this.#open >= mostCalls)
      throw new Refusal(429, `${mostCalls} calls of this session are waiting. Wait for some.`);
    this.#open += 1;
    return this.#call(name, input)
      .then((result) => JSON.stringify(result))
      .finally(() => (this.#open -= 1));
  }

  async #call(name: string, input: unknown): Promise<CallResult> {
    if (!isObject(input))
      return {
        ok: false,
        error: `The input of ${quoted(name)} must be an object: its arguments by name.`,
        reason: "input_validation",
      };
    let message;
    try {
      message = this.tools.call(name, input, `call_${this.#made}`);
    } catch (error) {
      if (!(error instanceof ServeError)) throw error;
      const isUnknown = error.code === "unknown-tool";
      return {
        ok: false,
        error: error.message,
        reason: isUnknown ? "not_found" : "input_validation",
      };
    }
    this.#made += 1;
    const opening = await this.#opening;
    const report = await this.session.step(message);
    const outcome = report.outcome ?? this.#untold(opening);
    return { ok: true, output: outputOf({ ...report, outcome }) };
  }

  /** The outcome of an episode that was over before it began: the prompt could not tell it. */
  #untold({ outcome }: SessionReport) {
    if (this.#isEndTold) return undefined;
    this.#isEndTold = true;
    return outcome;
  }
}

function outputOf({ messages, isDone, outcome }: SessionReport) {
  const text = textOf(messages);
  const shown = text === "" && isDone ? "The episode is over." : text;
  return {
    blocks: shown === "" ? [] : [{ type: "text" as const, text: shown }],
    metadata: outcome
      ? {
          stop_reason: outcome.stopReason,
          is_truncated: outcome.isTruncated,
          scores: { ...outcome.scores },
        }
      : null,
    reward: outcome?.reward ?? null,
    finished: isDone,
  };
}
