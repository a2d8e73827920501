import type { LoadedModel, LoadModelOptions } from "./loaded-model.ts";

/** Loads the model that follows the prefix in a name. `loadModel` loads any other model by its whole name. */
export type ModelLoader = (
  reference: string,
  options: LoadModelOptions,
  loadModel: (name: string) => Promise<LoadedModel>,
) => Promise<LoadedModel>;

/** The export of `<package>/commands` that loads models, by the prefixes of their names. */
export interface ModelPackage {
  readonly models?: Readonly<Record<string, () => Promise<ModelLoader>>>;
}
