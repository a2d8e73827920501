import { ConfigError } from "@envs/core";

import { capabilities } from "./answers.ts";
import type { Client } from "./client.ts";

/** What a service can do for a model. */
export interface Offer {
  readonly contextLength: number;
  /** Undefined: it does not say. */
  readonly losses: readonly string[] | undefined;
}

/** Asks what the service offers, before anything costs money. */
export async function offerOf(
  client: Client,
  { baseModel, contextLength }: { readonly baseModel: string; readonly contextLength?: number },
): Promise<Offer> {
  const { supported_models: models, supported_loss_fns: losses } = await client.ask({
    route: "get_server_capabilities",
    answer: capabilities,
  });
  const names = models.flatMap(({ model_name: name }) => name ?? []);
  if (names.length > 0 && !names.includes(baseModel))
    throw new ConfigError(
      `${client.baseURL} does not offer the model ${baseModel}. It offers ${names.join(", ")}.`,
    );
  const told = models.find(({ model_name: name }) => name === baseModel)?.max_context_length;
  const length = contextLength ?? told;
  if (!length)
    throw new ConfigError(
      `${client.baseURL} does not say how many tokens ${baseModel} reads. Give contextLength.`,
    );
  if (told && length > told)
    throw new ConfigError(
      `contextLength is ${length}, but ${baseModel} reads ${told} tokens at most at ${client.baseURL}. Lower it, or leave it out.`,
    );
  return { contextLength: length, losses: losses ?? undefined };
}
