import { randomUUID } from "node:crypto";

import type { AssistantMessage, Message, ToolCall } from "@envs/core";
import type * as z from "zod";

import { contentParts, haveMedia } from "../content-blocks.ts";
import type { ServedEnvironment } from "../context.ts";
import { ServeError } from "../errors.ts";
import type { Outcome } from "../host/episode-host.ts";
import { messageText, promptParts } from "../message-text.ts";
import type { ServedTools } from "../served-tools.ts";
import { type resetBody, resetQuery } from "../sessions/reset-query.ts";
import type { Session, SessionObservation } from "../sessions/session.ts";
import type { Action, ActionCall } from "./action.ts";
import {
  type OpenenvObservation,
  outcomeFieldsOf,
  type SessionState,
  type StepResult,
} from "./observation.ts";

const episodeOver = "The episode is over. Reset to start another.";

/** A session with OpenEnv's actions and results. */
export class OpenenvSession {
  readonly session: Session;
  readonly environment: ServedEnvironment;
  /** Whether a socket is connected to the session. */
  isAttached = false;
  /** Whether the session closes when its socket closes. */
  isClosing = false;
  #episodeId: string | undefined;
  /** Tool calls in this episode that did not reach the environment. */
  #rejectedCalls = 0;
  #lastOutcome: Outcome | undefined;

  constructor(session: Session, environment: ServedEnvironment) {
    this.session = session;
    this.environment = environment;
  }

  async reset(body: z.output<typeof resetBody>): Promise<StepResult> {
    const query = await resetQuery(this.environment.host, body);
    const opening = await this.session.reset(query);
    this.#episodeId = body.episode_id ?? randomUUID();
    this.#rejectedCalls = 0;
    const { systemPrompt, rest } = promptParts(opening.messages);
    return this.#result(opening, {
      ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
      text: messageText(rest),
      ...contentOf(rest),
    });
  }

  async step(action: Action): Promise<StepResult> {
    switch (action.type) {
      case "text": {
        const { text, isTruncated } = action;
        const reply = await this.session.step(
          { role: "assistant", content: text },
          { isTruncated },
        );
        return this.#result(reply, { text: replyText(reply), ...contentOf(reply.messages) });
      }
      case "list_tools":
        return { observation: { tools: this.#listTools() }, reward: null, done: this.#isDone };
      case "call_tools":
        return this.#callTools(action.calls);
      case "call_tool":
        return this.#callTool(action.tool_name, action.arguments);
    }
  }

  state(): SessionState {
    const { task, steps, outcome } = this.session;
    return {
      episode_id: task === undefined ? null : (this.#episodeId ?? null),
      step_count: steps,
      task: task ?? null,
      done: this.#isDone,
      reward: outcome?.reward ?? null,
      ...outcomeFieldsOf(outcome),
    };
  }

  get #isDone(): boolean {
    return this.session.isOver;
  }

  /** The tools of the current episode, or those of the environment. */
  get tools(): ServedTools {
    return this.session.tools ?? this.environment.tools;
  }

  #listTools() {
    return this.tools.specs.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    }));
  }

  async #callTool(name: string, input: Readonly<Record<string, unknown>>): Promise<StepResult> {
    let message: AssistantMessage;
    try {
      message = this.tools.call(name, input, `call_${this.session.steps}`);
    } catch (error) {
      if (error instanceof ServeError) return this.#rejectCall(name, error);
      throw error;
    }
    const reply = await this.session.step(message);
    return this.#result(reply, {
      tool_name: name,
      result: replyText(reply),
      ...contentOf(reply.messages),
      error: null,
    });
  }

  /** Calls several tools as one turn. An invalid call rejects them all. */
  async #callTools(calls: readonly ActionCall[]): Promise<StepResult> {
    const { tools } = this;
    const toolCalls: ToolCall[] = [];
    for (const [index, { tool_name: name, arguments: input }] of calls.entries())
      try {
        const id = `call_${this.session.steps}_${index}`;
        const { tool_calls: [toolCall] = [] } = tools.call(name, input, id);
        if (toolCall === undefined)
          throw new ServeError("invalid-action", `${name} is a turn for itself. Call it alone.`);
        toolCalls.push(toolCall);
      } catch (error) {
        if (error instanceof ServeError) return this.#rejectCall(name, error);
        throw error;
      }
    const reply = await this.session.step({
      role: "assistant",
      content: "",
      tool_calls: toolCalls,
    });
    const results = toolCalls.map(({ id }, index) => {
      const messages = reply.messages.filter(
        (message) => message.role === "tool" && message.tool_call_id === id,
      );
      const result = messageText(messages);
      return Object.assign({ tool_name: calls[index]!.tool_name, result }, contentOf(messages));
    });
    return this.#result(reply, { results });
  }

  /** Reports an invalid call to the model. It counts as a turn; otherwise a model could repeat it without end. */
  async #rejectCall(name: string, { code, message }: ServeError): Promise<StepResult> {
    const { session, environment } = this;
    if (session.task === undefined)
      throw new ServeError("no-episode", "No episode is running. Reset first.");
    const error_type = code === "unknown-tool" ? "tool_not_found" : "invalid_args";
    const observation = { tool_name: name, result: null, error: { error_type, message } } as const;
    const wasDone = this.#isDone;
    this.#rejectedCalls += 1;
    if (!wasDone && session.steps + this.#rejectedCalls >= environment.host.card.maxTurns)
      await session.finish();
    const outcome = wasDone ? undefined : session.outcome;
    return this.#result({ isDone: this.#isDone, outcome }, observation);
  }

  /** The reward of the last step, so that the rewards of all steps add up to the episode's. */
  #lastReward({ reward }: Outcome): number | null {
    return reward === null ? null : reward - this.session.earlyReward;
  }

  /** Creates a result. Adds an outcome to only one result, even if several calls of a session end together. */
  #result(
    { isDone, outcome, turnReward }: Omit<SessionObservation, "messages">,
    observation: OpenenvObservation,
  ): StepResult {
    const newOutcome = outcome === this.#lastOutcome ? undefined : outcome;
    this.#lastOutcome = outcome ?? this.#lastOutcome;
    return {
      observation: { ...observation, ...outcomeFieldsOf(newOutcome) },
      reward: newOutcome === undefined ? (turnReward ?? null) : this.#lastReward(newOutcome),
      done: isDone,
    };
  }
}

/** The parts of messages, if one of them is not text. */
function contentOf(messages: readonly Message[]): Pick<OpenenvObservation, "content"> {
  return haveMedia(messages)
    ? { content: Array.from(contentParts(messages), (part) => ({ ...part })) }
    : {};
}

function replyText({ messages, isDone, outcome }: SessionObservation): string {
  return isDone && outcome === undefined ? episodeOver : messageText(messages);
}
