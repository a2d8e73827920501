import type { Model } from "@envs/core";
import { HttpError } from "@envs/models/server";

import type { Dialect } from "./dialects/dialect.ts";

/** The models of a session. */
export interface SessionModels {
  /** Answers the agent's calls. */
  readonly model: Model;
  /** The name by which the agent asks for `model`, beside `model` and the model's own. */
  readonly modelName?: string | undefined;
  /**
   * Other models that the agent asks, by the names that it asks for. Without them, `model` answers whatever name the agent asks
   * for; with them, other names are rejected.
   */
  readonly helpers?: Readonly<Record<string, Model>> | undefined;
}

interface Route {
  readonly model: Model;
  readonly isHelper: boolean;
}

/** The names that a session knows, the first of `model`. */
export function modelNames({ model, modelName, helpers = {} }: SessionModels): readonly string[] {
  return [...new Set([modelName ?? model.id ?? "model", ...Object.keys(helpers)])];
}

/** Finds the model of a call. Throws an `HttpError` 404 for an unknown name, and 400 for a model without this kind of call. */
export function routeOf(
  models: SessionModels,
  name: string,
  dialect: Pick<Dialect, "name">,
): Route {
  const route = namedRoute(models, name);
  if (dialect.name === "embeddings") checkEmbedder(route, name);
  return route;
}

function namedRoute(models: SessionModels, name: string): Route {
  const { model, modelName, helpers = {} } = models;
  const names = Object.keys(helpers);
  if (Object.hasOwn(helpers, name)) return { model: helpers[name]!, isHelper: true };
  if (names.length === 0 || [modelName, model.id, "model"].includes(name))
    return { model, isHelper: false };
  throw new HttpError(
    404,
    `The agent has no model named ${JSON.stringify(name)}. It has: ${modelNames(models).join(", ")}. Ask for one of these, or add the name to the agent's helpers.`,
    { code: "model_not_found", field: "model" },
  );
}

/** Checks that a call for embeddings reaches a model that has them: the model that plays writes messages. */
function checkEmbedder({ model, isHelper }: Route, name: string): void {
  const { dialect = "chat" } = model.settings ?? {};
  if (isHelper && dialect === "chat") return;
  throw new HttpError(
    400,
    `Embeddings require a helper on a server with OpenAI's API, which ${JSON.stringify(name)} is not. Add the embedding model to the agent's helpers: -m agent:<file>@<model>,${name}=<embedding model>, or helpers: { ${JSON.stringify(name)}: openai(…) }.`,
    { field: "model" },
  );
}
