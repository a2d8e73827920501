import { dirname } from "node:path";

import type * as TinyFiles from "@envs/tiny-model/node";
import type { VocabularyOf } from "@envs/viewer/node";

import { importIfInstalled } from "../packages/import-package.ts";

/** Finds the tokenizer of a tiny model: of the training run for its steps, else of the model with the name. */
export const tinyVocabulary: VocabularyOf = async (reader) => {
  const { model, training } = await reader.readHead();
  const reference = training === undefined ? model : dirname(dirname(reader.path));
  if (training === undefined && !model.startsWith("tiny:")) return undefined;
  const tiny = await importIfInstalled<typeof TinyFiles>("tiny-model/node");
  if (tiny === undefined) return undefined;
  try {
    const { checkpoint } = await tiny.findCheckpoint(reference);
    return checkpoint.tokenizer.tokens;
  } catch {
    // The model was moved or removed after the run.
    return undefined;
  }
};
