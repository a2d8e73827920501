import { UsageError } from "@envs/terminal";

import { apiKeyFrom } from "../models/api-key.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The flags of the command line. They take precedence over environment variables. */
export interface ConnectionFlags {
  readonly model?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
}

/** The server of the model in training, and the URL to which rewards are posted. */
export interface TrainerConnection {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
  readonly events: { readonly url: string; readonly key: string | undefined } | undefined;
}

/**
 * Resolves the model's server from flags, then the variables of Agent Lightning, then those of OpenAI. Sends a key only to
 * the server of the same source.
 */
export function resolveConnection(flags: ConnectionFlags, variables: Variables): TrainerConnection {
  const variable = (name: string): string | undefined => variables[name] || undefined;
  const gateway = flags.baseURL === undefined ? variable("AGL_OPENAI_BASE_URL") : undefined;
  const baseURL = flags.baseURL ?? gateway ?? variable("OPENAI_BASE_URL");
  if (baseURL === undefined)
    throw new UsageError(
      "Missing URL of the model's server. Pass --base-url, or set AGL_OPENAI_BASE_URL or OPENAI_BASE_URL. Trainers that start workers set one of these.",
    );
  // The gateway ignores the model's name.
  const model =
    flags.model ?? variable("OPENAI_MODEL") ?? (gateway === undefined ? undefined : "default");
  if (model === undefined) throw new UsageError("Missing model. Pass -m, or set OPENAI_MODEL.");
  const key =
    apiKeyFrom(flags.apiKeyVariable) ??
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
