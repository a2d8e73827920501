import { randomUUID } from "node:crypto";

import type { AssistantMessage } from "@envs/core";
import type * as z from "zod";

import type { Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import type { Outcome } from "../host/host.ts";
import type { Session, SessionReport } from "../session.ts";
import { openingText, textOf } from "../text.ts";
import type { Action } from "./action.ts";
import { queryOf, type resetData } from "./reset-query.ts";
import { endingOf, type Observation, type State, type Told } from "./told.ts";

const over = "The episode is over. Reset to start another.";

/** A session as OpenEnv speaks of it. */
export class Game {
  readonly session: Session;
  readonly served: Served;
  /** Whether a socket speaks for it. */
  isAttached = false;
  /** Whether it is to end with that socket. */
  isClosing = false;
  #episodeId: string | undefined;
  #refused = 0;
  #told: Outcome | undefined;

  constructor(session: Session, served: Served) {
    this.session = session;
    this.served = served;
  }

  async reset(asked: z.output<typeof resetData>): Promise<Told> {
    const query = await queryOf(this.served.host, asked);
    const report = await this.session.reset(query);
    this.#episodeId = asked.episode_id ?? randomUUID();
    this.#refused = 0;
    const { systemPrompt, text } = openingText(report.messages);
    const system = systemPrompt === undefined ? {} : { system_prompt: systemPrompt };
    return this.#tell(report, { ...system, text });
  }

  async step(action: Action): Promise<Told> {
    switch (action.type) {
      case "text": {
        const report = await this.session.step({ role: "assistant", content: action.text });
        return this.#tell(report, { text: said(report) });
      }
      case "list_tools":
        return { observation: { tools: this.#tools() }, reward: null, done: this.#isDone };
      case "call_tool":
        return this.#call(action.tool_name, action.arguments);
    }
  }

  state(): State {
    const { task, steps, outcome } = this.session;
    return {
      episode_id: task === undefined ? null : (this.#episodeId ?? null),
      step_count: steps,
      task: task ?? null,
      done: this.#isDone,
      reward: outcome?.reward ?? null,
      ...endingOf(outcome),
    };
  }

  get #isDone(): boolean {
    return this.session.outcome !== undefined;
  }

  #tools() {
    return this.served.tools.specs.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    }));
  }

  async #call(name: string, input: Readonly<Record<string, unknown>>): Promise<Told> {
    let message: AssistantMessage;
    try {
      message = this.served.tools.call(name, input, `call_${this.session.steps}`);
    } catch (error) {
      if (error instanceof ServeError) return this.#refuse(name, error);
      throw error;
    }
    const report = await this.session.step(message);
    return this.#tell(report, { tool_name: name, result: said(report), error: null });
  }

  /** Tells the model that it called no tool. That counts as a turn: a model that never learns would play for ever. */
  async #refuse(name: string, { code, message }: ServeError): Promise<Told> {
    const { session, served } = this;
    if (session.task === undefined)
      throw new ServeError("no-episode", "No episode is running: reset first.");
    const error_type = code === "unknown-tool" ? "tool_not_found" : "invalid_args";
    const observation = { tool_name: name, result: null, error: { error_type, message } } as const;
    const wasDone = this.#isDone;
    this.#refused += 1;
    if (!wasDone && session.steps + this.#refused >= served.host.card.maxTurns)
      await session.finish();
    const outcome = wasDone ? undefined : session.outcome;
    return this.#tell({ isDone: this.#isDone, outcome }, observation);
  }

  /** Tells each outcome once, also where several calls of one session end together. */
  #tell(
    { isDone, outcome }: Pick<SessionReport, "isDone" | "outcome">,
    observation: Observation,
  ): Told {
    const news = outcome === this.#told ? undefined : outcome;
    this.#told = outcome ?? this.#told;
    return {
      observation: { ...observation, ...endingOf(news) },
      reward: news?.reward ?? null,
      done: isDone,
    };
  }
}

function said({ messages, isDone, outcome }: SessionReport): string {
  return isDone && outcome === undefined ? over : textOf(messages);
}
