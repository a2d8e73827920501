import { ConfigError, type Model } from "@envs/core";

import { type Gateway, startGateway } from "../gateway.ts";
import type { SessionLimits } from "../limits.ts";
import { type AgentFunction, AgentRun } from "./agent-run.ts";

export interface AgentOptions extends SessionLimits {
  /** Answers the agent's calls. Default: set later by {@link Agent.withModel}. */
  readonly model?: Model | undefined;
  /** The agent's name in records and tables. Default: `agent`. */
  readonly id?: string | undefined;
}

/** An agent that plays wherever a model does. */
export interface Agent extends Model {
  readonly id: string;
  /** Returns the agent with another model to answer its calls. */
  readonly withModel: (model: Model) => Agent;
  readonly wrapModel: (wrap: (model: Model) => Model) => Agent;
}

/**
 * Makes a model of an agent. For each observation of an episode, `run` receives the conversation and resolves to its final text.
 * It asks its model at the gateway, in any provider's format; the record has these calls. The limits hold for a rollout.
 */
export function agent(run: AgentFunction, options: AgentOptions = {}): Agent {
  const { model, id = "agent", ...limits } = options;
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
    const current = seats.get(session) ?? new AgentRun(started, request, { ...limits, run, model });
    seats.set(session, current);
    return current.next(request);
  };
  return Object.assign(ask, {
    id: model?.id === undefined ? id : `${id} with ${model.id}`,
    check: (environment: Parameters<NonNullable<Model["check"]>>[0]) => {
      if (model === undefined) throw missingModel(id);
      model.check?.(environment);
    },
    withModel: (next: Model) => agent(run, { ...options, model: next }),
    wrapModel: (wrap: (model: Model) => Model) =>
      agent(run, { ...options, model: model === undefined ? undefined : wrap(model) }),
  });
}

function missingModel(id: string): ConfigError {
  return new ConfigError(
    `The agent ${id} has no model. Pass one as agent(run, { model }), or on the command line after the agent: -m agent:<file>@<model>.`,
  );
}
