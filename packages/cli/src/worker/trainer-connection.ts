import { UsageError } from "@envs/terminal";

import { apiKeyFrom } from "../models/api-key.ts";

/** The variables that are looked at. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What a person wrote; it comes before every variable. */
export interface ConnectionFlags {
  readonly model?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
}

/** Where the model is that is being trained, and where its trainer wants to hear of rewards. */
export interface Connection {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
  readonly events: { readonly url: string; readonly key: string | undefined } | undefined;
}

/**
 * Finds the model's server: flags, then the variables of Agent Lightning, then those of OpenAI. A key goes only to the
 * server that it was given for.
 */
export function resolveConnection(given: ConnectionFlags, variables: Variables): Connection {
  const variable = (name: string): string | undefined => variables[name] || undefined;
  const gateway = given.baseURL === undefined ? variable("AGL_OPENAI_BASE_URL") : undefined;
  const baseURL = given.baseURL ?? gateway ?? variable("OPENAI_BASE_URL");
  if (baseURL === undefined)
    throw new UsageError(
      "Name the server of the model with --base-url, or in AGL_OPENAI_BASE_URL or OPENAI_BASE_URL: a trainer that starts workers sets one.",
    );
  // The gateway answers with its own model, whatever it is asked for.
  const model =
    given.model ?? variable("OPENAI_MODEL") ?? (gateway === undefined ? undefined : "default");
  if (model === undefined)
    throw new UsageError("Name the model with -m, or in the variable OPENAI_MODEL.");
  const key =
    apiKeyFrom(given.apiKeyVariable) ??
    variable(gateway === undefined ? "OPENAI_API_KEY" : "AGL_KEY") ??
    "none";
  const eventUrl = variable("AGL_EVENT_URL");
  return {
    baseURL,
    apiKey: key,
    model,
    events: eventUrl === undefined ? undefined : { url: eventUrl, key: variable("AGL_KEY") },
  };
}
