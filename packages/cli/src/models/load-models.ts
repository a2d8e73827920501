import type { LoadedModel } from "./loaded-model.ts";

/** Models by name, which are released together. */
interface LoadedModels {
  readonly models: Readonly<Record<string, LoadedModel>>;
  readonly close: () => Promise<void>;
}

/** Loads models one after the other. Releases them if one cannot be loaded. */
export async function loadModels(
  references: Readonly<Record<string, string>>,
  load: (reference: string) => Promise<LoadedModel>,
): Promise<LoadedModels> {
  const models: Record<string, LoadedModel> = {};
  const close = async (): Promise<void> => {
    for (const each of Object.values(models)) await each.close();
  };
  try {
    for (const [name, reference] of Object.entries(references))
      models[name] = await load(reference);
  } catch (error) {
    await close();
    throw error;
  }
  return { models, close };
}
