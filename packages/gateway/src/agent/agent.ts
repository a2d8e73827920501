import { ConfigError, type Model } from "@envs/core";
import { mapValues } from "@envs/core/engine";

import { type Gateway, startGateway } from "../gateway.ts";
import type { SessionLimits } from "../limits.ts";
import { type AgentFunction, AgentRun } from "./agent-run.ts";

export interface AgentOptions extends SessionLimits {
  /** Answers the agent's calls. Default: set later by {@link Agent.withModel}. */
  readonly model?: Model | undefined;
  /** The name by which the agent asks for its model, besides `model`. Default: the model's own. */
  readonly modelName?: string | undefined;
  /**
   * Other models that the agent asks, by the names that it asks for. They do not play: only the calls of `model` are trained. With
   * helpers, names other than these and the model's are rejected.
   */
  readonly helpers?: Readonly<Record<string, Model>> | undefined;
  /** The agent's name in records and tables. Default: `agent`. */
  readonly id?: string | undefined;
}

/** An agent that plays wherever a model does. */
export interface Agent extends Model {
  readonly id: string;
  /** Returns the agent with another model to answer its calls, and more helpers. */
  readonly withModel: (
    model: Model,
    options?: Pick<AgentOptions, "modelName" | "helpers">,
  ) => Agent;
  readonly wrapModel: (wrap: (model: Model) => Model) => Agent;
}

/**
 * Makes a model of an agent. For each observation of an episode, `run` receives the conversation and resolves to its final text.
 * It asks its model at the gateway, in any provider's format; the record has these calls. The limits hold for a rollout.
 */
export function agent(run: AgentFunction, options: AgentOptions = {}): Agent {
  const { model, id = "agent", ...others } = options;
  const { helpers } = others;
  // All turns of a rollout have its signal, and no other rollout has it. Each seat of an episode has a session.
  const runs = new WeakMap<AbortSignal, Map<string, AgentRun>>();
  let gateway: Promise<Gateway> | undefined;

  const ask: Model = async (request) => {
    if (model === undefined) throw missingModel(id);
    // Only the turns of a rollout have a session. The environment's own questions are for the model.
    if (request.session === undefined) return model(request);
    const { signal, session } = request;
    const started = await (gateway ??= startGateway({ isBackground: true }));
    const seats = runs.get(signal) ?? new Map<string, AgentRun>();
    runs.set(signal, seats);
    const current = seats.get(session) ?? new AgentRun(started, request, { ...others, run, model });
    seats.set(session, current);
    return current.next(request);
  };
  const named = Object.entries(helpers ?? {}).map(([name, each]) => `${name}=${each.id ?? name}`);
  return Object.assign(ask, {
    id: model?.id === undefined ? id : [`${id} with ${model.id}`, ...named].join(", "),
    helpers,
    check: (environment: Parameters<NonNullable<Model["check"]>>[0]) => {
      if (model === undefined) throw missingModel(id);
      for (const each of [model, ...Object.values(helpers ?? {})]) each.check?.(environment);
    },
    withModel: (next: Model, more: Pick<AgentOptions, "modelName" | "helpers"> = {}) =>
      agent(run, { ...options, ...more, model: next, helpers: { ...helpers, ...more.helpers } }),
    wrapModel: (wrap: (model: Model) => Model) =>
      agent(run, {
        ...options,
        model: model && wrap(model),
        helpers: helpers && mapValues(helpers, wrap),
      }),
  });
}

function missingModel(id: string): ConfigError {
  return new ConfigError(
    `The agent ${id} has no model. Pass one as agent(run, { model }), or on the command line after the agent: -m agent:<file>@<model>.`,
  );
}
