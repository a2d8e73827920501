import type { Environment, Model } from "@envs/core";
import { asksSubModel, checkSubModel, runSubModel } from "@envs/core/engine";

import { loadFactory, type ModuleReference } from "./load-factory.ts";

/** A sub-model, as the module of a reference loads it. */
export interface LoadedSubModel {
  readonly subModel: Model;
  /** Releases the model's resources. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** Loads the sub-model of an environment that asks one. */
export type SubModelFactory = (
  environment: Environment,
  config: ModuleReference["config"],
) => LoadedSubModel | undefined | Promise<LoadedSubModel | undefined>;

/** The sub-model of served episodes, because the client's model cannot answer sub-model calls. */
export interface ServedSubModel {
  /**
   * Required by environments that ask a sub-model. Other processes load a reference, to a module whose default export is a
   * {@link SubModelFactory}; with a model, episodes run in this process.
   */
  readonly subModel?: Model | ModuleReference | undefined;
  /** The maximum number of concurrent sub-model calls. Default 32. */
  readonly subModelConcurrency?: number | undefined;
}

/** Loads the sub-model of an environment; `undefined` if it asks none. Throws a `ConfigError` if it does, and none was passed. */
export async function subModelFor(
  environment: Environment,
  { subModel, subModelConcurrency }: ServedSubModel,
): Promise<LoadedSubModel | undefined> {
  if (!asksSubModel(environment)) return undefined;
  const loaded =
    typeof subModel === "object"
      ? await ((await loadFactory(subModel, "sub-model")) as SubModelFactory)(
          environment,
          subModel.config,
        )
      : subModel && { subModel };
  checkSubModel(environment, { subModel: loaded?.subModel, isRequired: true });
  const model = loaded!.subModel;
  return { ...loaded, subModel: runSubModel({ model, subModel: model, subModelConcurrency }) };
}
