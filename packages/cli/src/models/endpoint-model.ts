import { ConfigError } from "@envs/core";
import { openai, type OpenAIOptions, type ServedModel } from "@envs/models";

import type { Endpoint } from "../config-file.ts";

interface EndpointOptions extends OpenAIOptions {
  readonly dialect: Endpoint["dialect"];
}

/** Creates the model of a server with one of four APIs. */
export async function endpointModel(
  name: string,
  { dialect = "chat", tokens, sendSeed, ...options }: EndpointOptions,
): Promise<ServedModel> {
  if (dialect === "chat") return openai(name, { ...options, tokens, sendSeed });
  const unsupported = tokens === true ? "tokens" : sendSeed === true ? "sendSeed" : undefined;
  if (unsupported !== undefined)
    throw new ConfigError(
      `The endpoint of ${name} cannot have ${unsupported}: the dialect ${dialect} has no such option. Remove it, or use a server with chat completions.`,
    );
  // Imported only when needed: most runs ask a server with chat completions.
  const models = await import("@envs/gateway");
  return models[dialect](name, options);
}
