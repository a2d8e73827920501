import { setTimeout as sleep } from "node:timers/promises";

import { FailureError, UsageError } from "@envs/cli/kit";
import { apiKeyFrom } from "@envs/cli/kit/models";
import { redactUrl } from "@envs/core/engine";

type Variables = Readonly<Record<string, string | undefined>>;

/** The flags of the command line. They take precedence over environment variables. */
export interface ConnectionFlags {
  readonly model?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
}

/** The server of the model in training, and the URL to which rewards are posted. */
interface TrainerConnection {
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

const maxAttempts = 5;

/** Posts a rollout's reward to the trainer, with retries. Throws a `FailureError` if the trainer does not accept it. */
export async function postReward(
  { url, key }: NonNullable<TrainerConnection["events"]>,
  value: number,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await post(url, key, value);
    if (problem === undefined) return;
    if (!problem.isTransient || attempt === maxAttempts)
      throw new FailureError(
        `Cannot post the reward ${value} to AGL_EVENT_URL: ${problem.reason}.`,
      );
    await sleep(250 * 2 ** attempt);
  }
}

async function post(
  url: string,
  key: string | undefined,
  value: number,
): Promise<{ readonly reason: string; readonly isTransient: boolean } | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ event_type: "reward", data: { value } }),
      signal: AbortSignal.timeout(30_000),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    const isTransient = status >= 500 || status === 429 || status === 408;
    return { reason: `the trainer responded with ${status}`, isTransient };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return { reason: reason.replaceAll(url, redactUrl(url)), isTransient: true };
  }
}
