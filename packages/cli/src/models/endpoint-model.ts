import { ConfigError } from "@envs/core";
import { openai, type OpenAIOptions, type ServedModel } from "@envs/models";

import type { Endpoint } from "../config-file.ts";
import { importPackage } from "../packages/import-package.ts";

interface EndpointOptions extends OpenAIOptions {
  readonly dialect: Endpoint["dialect"];
}

/** The part of `@envs/gateway` that is used here. */
type Dialects = Readonly<
  Record<
    Exclude<NonNullable<Endpoint["dialect"]>, "chat">,
    (name: string, options: OpenAIOptions) => ServedModel
  >
>;

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
  const models = await importPackage<Dialects>("gateway", `The dialect ${dialect} of ${name}`);
  return models[dialect](name, options);
}
