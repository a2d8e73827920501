import type { AssistantMessage } from "@envs/core";

import type { ServedEnvironment } from "../context.ts";
import { quote, ServeError } from "../errors.ts";
import type { Outcome, StepOptions } from "../host/episode-host.ts";
import { messageText, promptText } from "../message-text.ts";
import type { ServedTools } from "../served-tools.ts";
import type { Session, SessionObservation } from "../sessions/session.ts";
import type { CallResult } from "./schemas.ts";

/** An error with the HTTP status that ORS clients expect. */
export class OrsError extends Error {
  override readonly name = "OrsError";
  readonly statusCode: 400 | 404 | 410 | 429;

  constructor(statusCode: OrsError["statusCode"], message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** The maximum number of calls of one session that are running or queued. */
const maxCalls = 64;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A session with ORS's prompt and tool calls. */
export class OrsSession {
  readonly session: Session;
  readonly tools: ServedTools;
  readonly #opening: Promise<SessionObservation>;
  #callCount = 0;
  #pendingCalls = 0;
  #isOpeningReported = false;

  constructor(
    session: Session,
    { tools }: ServedEnvironment,
    opening: Promise<SessionObservation>,
  ) {
    this.session = session;
    this.tools = tools;
    this.#opening = opening;
  }

  /** The prompt's texts, once the environment is set up. Some trainers concatenate them, so the first ends in a blank line. */
  async prompt(): Promise<string[]> {
    const { systemPrompt, text } = promptText((await this.#opening).messages);
    return systemPrompt === undefined ? [text] : [`${systemPrompt}\n\n`, text];
  }

  /** Calls a tool, and returns a {@link CallResult} as JSON. Throws an {@link OrsError} if too many calls are pending. */
  call(name: string, input: unknown, options?: StepOptions): Promise<string> {
    if (this.#pendingCalls >= maxCalls)
      throw new OrsError(
        429,
        `This session has ${maxCalls} pending calls. Wait for one to end before you send another.`,
      );
    this.#pendingCalls += 1;
    return this.#call(name, input, options)
      .then((result) => JSON.stringify(result))
      .finally(() => (this.#pendingCalls -= 1));
  }

  async #call(name: string, input: unknown, options?: StepOptions): Promise<CallResult> {
    if (!isObject(input))
      return {
        ok: false,
        error: `The input of ${quote(name)} is not an object. Send the arguments by name.`,
        reason: "input_validation",
      };
    let message: AssistantMessage;
    try {
      message = this.tools.call(name, input, `call_${this.#callCount}`);
    } catch (error) {
      if (!(error instanceof ServeError)) throw error;
      const reason = error.code === "unknown-tool" ? "not_found" : "input_validation";
      return { ok: false, error: error.message, reason };
    }
    this.#callCount += 1;
    const opening = await this.#opening;
    const observation = await this.session.step(message, options);
    const outcome = observation.outcome ?? this.#openingOutcome(opening);
    return { ok: true, output: toolOutput({ ...observation, outcome }) };
  }

  /** If the episode was over after its reset, the first call returns the outcome, since a prompt cannot. */
  #openingOutcome({ outcome }: SessionObservation): Outcome | undefined {
    if (this.#isOpeningReported) return undefined;
    this.#isOpeningReported = true;
    return outcome;
  }
}

function toolOutput({ messages, isDone, outcome }: SessionObservation) {
  // TRL does not read `finished`, so the text contains it too.
  const text = [messageText(messages), isDone ? "The episode is over." : ""]
    .filter(Boolean)
    .join("\n\n");
  return {
    blocks: text === "" ? [] : [{ type: "text" as const, text }],
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
