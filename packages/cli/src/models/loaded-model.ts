import type { Model } from "@envs/core";
import type { ServerUse } from "@envs/models";
import type { KnownPrice } from "@envs/models/prices";

import type { Endpoint } from "../config-file.ts";

/** A model to play with. Call `close()` to release its resources. */
export interface LoadedModel {
  readonly model: Model;
  /** Several addresses are separated by commas. */
  readonly baseURL?: string | undefined;
  /** How each of several servers was used so far. */
  readonly serverUse?: (() => readonly ServerUse[]) | undefined;
  readonly price?: KnownPrice | undefined;
  /** Models that an agent asks beside this one, by the names that it asks for. */
  readonly helpers?: Readonly<Record<string, LoadedModel>> | undefined;
  /** The maximum number of concurrent rollouts: a local model caches one conversation per sequence. */
  readonly concurrency?: number | undefined;
  readonly close: () => Promise<void>;
}

export interface LoadModelOptions {
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
  readonly concurrency: number;
  readonly tokens?: boolean | undefined;
}

/** The source of a price that the config file sets. */
export const configSource = "envs.config.ts";
