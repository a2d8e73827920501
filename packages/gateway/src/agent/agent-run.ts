import {
  type Model,
  type ModelRequest,
  type ModelResponse,
  RolloutError,
  type WorkspaceChanges,
  type WorkspaceFiles,
} from "@envs/core";
import { type AgentCall, mapValues, messageOf } from "@envs/core/engine";

import type { Gateway, GatewaySession } from "../gateway.ts";
import type { SessionLimits } from "../limits.ts";
import { modelNames, type SessionModels } from "../routing.ts";
import { callMessage, finalMessage, lastAnswered, responseOf } from "./agent-reply.ts";
import { type AgentTools, ToolBridge } from "./agent-tools.ts";

/** The input of an agent: a conversation to answer, and a model to answer it with. */
export interface AgentContext
  extends Pick<GatewaySession, "origin" | "baseURL" | "apiKey">, Pick<ModelRequest, "messages"> {
  /** The name to ask the model by. Without helpers, the gateway accepts any. */
  readonly model: string;
  /** Names the rollout and its seat: the same in every run. */
  readonly session: string;
  /** The environment's tools. It runs the calls, and counts and scores them. */
  readonly tools: AgentTools;
  /** The files that the environment offers and scores; `undefined` without such files. */
  readonly files?: AgentFiles | undefined;
  /** Adds to the record what the agent did besides its calls, such as a permission or the files that it changed. */
  readonly record: (kind: string, text: string) => void;
  /** Aborted when the rollout is over, timed out or cancelled. */
  readonly signal: AbortSignal;
}

/** The files of an environment, in the hands of an agent. */
export interface AgentFiles {
  readonly read: () => Promise<WorkspaceFiles>;
  /** Passes the agent's changes to the environment. This takes a turn of the episode. */
  readonly save: (changes: WorkspaceChanges) => Promise<void>;
}

/** Answers a conversation: resolves to the agent's final text. */
export type AgentFunction = (context: AgentContext) => Promise<string> | string;

export interface AgentRunOptions extends SessionLimits, SessionModels {
  readonly run: AgentFunction;
}

type Outcome =
  | { readonly type: "reply"; readonly reply: unknown }
  | { readonly type: "error"; readonly error: unknown };

/**
 * One rollout of an agent. The agent's code continues between replies: when it calls a tool of the environment, it waits for the
 * driver's next request, which has the result.
 */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #session: GatewaySession;
  readonly #signal: AbortSignal;
  #askPolicy: ModelRequest["askPolicy"];
  #onCall: ModelRequest["onCall"];
  #bridge: ToolBridge | undefined;
  #activity: Promise<Outcome> | undefined;
  /** The number of the session's calls that belong to earlier replies. */
  #reported = 0;
  #turn = 0;
  /** What the agent did since its last reply. */
  readonly #actions: { readonly kind: string; readonly text: string }[] = [];
  #wasCut = false;

  constructor(gateway: Gateway, request: ModelRequest, options: AgentRunOptions) {
    const { model, helpers, run: _, ...others } = options;
    const { sampling, seed, session, signal } = request;
    this.#options = options;
    this.#signal = signal;
    // Policies answer agents too: they know the episode, and agents pass their calls on.
    const inEpisode = (answers: Model): Model =>
      Object.assign<Model, Pick<Model, "id" | "check" | "settings">>(
        (call) => answers({ ...call, askPolicy: this.#askPolicy }),
        { id: answers.id, check: answers.check, settings: answers.settings },
      );
    this.#session = gateway.open({
      ...others,
      model: inEpisode(model),
      helpers: helpers && mapValues(helpers, inEpisode),
      sampling,
      seed,
      session,
      signal,
      tools: () => this.#bridge?.tools ?? {},
      onCall: (call) => this.#onCall?.(call),
    });
    signal.addEventListener("abort", () => this.#bridge?.close(signal.reason as Error), {
      once: true,
    });
  }

  /** Lets the agent continue until it calls tools of the environment or replies. */
  async next(request: ModelRequest): Promise<ModelResponse> {
    this.#askPolicy = request.askPolicy;
    this.#onCall = request.onCall;
    const bridge = this.#resume(request);
    const outcome = await Promise.race([this.#activity!, bridge.nextBatch(), this.#aborted()]);
    this.#signal.throwIfAborted();
    const calls = this.#newCalls();
    const last = lastAnswered(calls);
    this.#turn += 1;
    if (!("type" in outcome)) {
      const message = callMessage(outcome, last, this.#turn);
      bridge.run(outcome, message.tool_calls);
      return this.#response(message, calls, "tool_calls");
    }
    this.#activity = undefined;
    if (outcome.type === "error") return this.#failed(outcome.error, calls);
    const text = replyText(outcome.reply);
    const isCut = last?.finish === "length";
    return this.#response(finalMessage(text, last), calls, isCut ? "length" : "stop");
  }

  /** The response with what the agent did since the last one. */
  #response(...reply: Parameters<typeof responseOf>): ModelResponse {
    const activity = this.#actions.splice(0);
    return { ...responseOf(...reply), ...(activity.length > 0 && { activity }) };
  }

  /** Gives the agent the results that it waits for, or starts it with the conversation. */
  #resume({ messages, tools = [], workspace, session = "" }: ModelRequest): ToolBridge {
    if (this.#activity !== undefined && this.#bridge !== undefined) {
      this.#bridge.deliver(messages);
      return this.#bridge;
    }
    const names = new Set(tools.map(({ name }) => name));
    const expected = (): number =>
      (lastAnswered(this.#session.calls)?.message.tool_calls ?? []).filter(
        ({ function: { name } }) => names.has(name),
      ).length;
    const bridge = new ToolBridge(tools, expected);
    const { origin, baseURL, apiKey } = this.#session;
    const model = modelNames(this.#options)[0]!;
    const context = { origin, baseURL, apiKey, model, session, messages, tools: bridge.tools };
    this.#bridge = bridge;
    const files = workspace && { read: workspace, save: bridge.save.bind(bridge) };
    const signal = this.#signal;
    const record = (kind: string, text: string): void => void this.#actions.push({ kind, text });
    this.#activity = settle(async () => this.#options.run({ ...context, files, record, signal }));
    return bridge;
  }

  #newCalls(): readonly AgentCall[] {
    const calls = this.#session.calls.slice(this.#reported);
    this.#reported += calls.length;
    return calls;
  }

  /** Why an agent failed: its model, the limit of the session, or its own code. */
  #failed(error: unknown, calls: readonly AgentCall[]): ModelResponse {
    const { failure, stopReason } = this.#session;
    if (stopReason !== undefined && !this.#wasCut) {
      this.#wasCut = true;
      const text = lastAnswered(calls)?.message.content ?? "";
      return this.#response({ role: "assistant", content: text }, calls, "length");
    }
    if (stopReason !== undefined)
      throw new RolloutError("agent", `The agent was stopped: ${stopReason}.`, {
        isOverflow: true,
      });
    if (failure !== undefined) throw failure;
    if (error instanceof RolloutError) throw error;
    throw new RolloutError("agent", `The agent failed: ${messageOf(error)}`, { cause: error });
  }

  /** Rejects when the rollout ends: an agent may ignore its signal. */
  #aborted(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#signal.addEventListener("abort", () => reject(this.#signal.reason as Error), {
      once: true,
    });
    return promise;
  }
}

async function settle(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { type: "reply", reply: await run() };
  } catch (error) {
    return { type: "error", error };
  }
}

function replyText(reply: unknown): string {
  if (typeof reply === "string") return reply;
  const shown = reply === undefined ? "undefined" : JSON.stringify(reply)?.slice(0, 200);
  throw new RolloutError(
    "agent",
    `The agent returned ${shown}. It must return its final text, such as (await agent.generate(…)).text.`,
  );
}
