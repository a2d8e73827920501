import { ConfigError } from "@envs/core";

import { capabilities } from "./responses.ts";
import type { ServiceClient } from "./service-client.ts";

/** The limits of a service for one model. */
export interface ModelCapabilities {
  readonly contextLength: number;
  /** Names of the supported losses. Undefined if the service does not report them. */
  readonly losses: readonly string[] | undefined;
}

/**
 * Fetches the capabilities of the service, before any request that costs money. Throws a `ConfigError` if the service does
 * not offer the model or the context length.
 */
export async function fetchCapabilities(
  client: ServiceClient,
  {
    baseModel,
    contextLength,
  }: { readonly baseModel: string; readonly contextLength?: number | undefined },
): Promise<ModelCapabilities> {
  const { supported_models: models, supported_loss_fns: losses } = await client.request({
    route: "get_server_capabilities",
    response: capabilities,
  });
  const names = models.flatMap(({ model_name: name }) => name ?? []);
  if (names.length > 0 && !names.includes(baseModel))
    throw new ConfigError(
      `${client.baseURL} does not offer the model ${baseModel}. It offers ${names.join(", ")}.`,
    );
  const maxLength = models.find(({ model_name: name }) => name === baseModel)?.max_context_length;
  const length = contextLength ?? maxLength;
  if (!length)
    throw new ConfigError(
      `${client.baseURL} does not report the context length of ${baseModel}. Pass contextLength.`,
    );
  if (maxLength && length > maxLength)
    throw new ConfigError(
      `contextLength is ${length}, but the maximum of ${baseModel} at ${client.baseURL} is ${maxLength} tokens. Lower it, or remove it to use the maximum.`,
    );
  return { contextLength: length, losses: losses ?? undefined };
}
