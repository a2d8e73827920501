import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { ModelLoader } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import type { AgentFunction } from "../agent/agent-run.ts";
import { agent, type Agent } from "../agent/agent.ts";
import { withModels } from "./with-models.ts";

/** The parts of `agent:<file>@<models>`. */
interface AgentReference {
  readonly file: string;
  /** The models that answer the agent's calls. Default: the agent's own. */
  readonly models: string | undefined;
}

/** Loads an agent from a module whose default export is `agent(…)`, `agentProgram(…)` or a function for `agent()`. */
export const loadAgent: ModelLoader = async (reference, _options, loadModel) => {
  const { file, models } = readReference(reference);
  const loaded = await importAgent(file);
  if (models === undefined) return { model: loaded, close: async () => {} };
  return withModels(loaded, models, loadModel);
};

/** A path may contain an `@`, such as that of a scope. */
function readReference(reference: string): AgentReference {
  if (existsSync(resolve(reference))) return { file: reference, models: undefined };
  const at = reference.lastIndexOf("@");
  const file = at === -1 ? reference : reference.slice(0, at);
  if (at > 0 && existsSync(resolve(file))) return { file, models: reference.slice(at + 1) };
  throw new ConfigError(
    `There is no file ${file}. Name the module of the agent, and the model that answers it: -m agent:./my-agent.ts@gpt-5-mini`,
  );
}

/** Imports the agent that a module exports. */
export async function importAgent(file: string): Promise<Agent> {
  let exported: unknown;
  try {
    ({ default: exported } = (await import(pathToFileURL(resolve(file)).href)) as {
      readonly default?: unknown;
    });
  } catch (error) {
    throw new ConfigError(`Cannot import the agent ${file}: ${messageOf(error)}`, [], {
      cause: error,
    });
  }
  if (typeof exported !== "function")
    throw new ConfigError(
      `The default export of ${file} is not an agent. Export agent(async ({ baseURL, apiKey, messages }) => …) of @envs/gateway.`,
    );
  if ("withModel" in exported) return exported as Agent;
  return agent(exported as AgentFunction, { id: `agent:${file}` });
}
