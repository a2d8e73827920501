import { onTestFinished } from "vitest";

import { type Checkpoint, TinyModel, type TinyModelOptions } from "../src/index.ts";
import { smallCheckpoint } from "./small-model.ts";

/** Starts a model and closes it at the end of the test. */
export async function startSmall(
  options: TinyModelOptions = {},
  checkpoint: Checkpoint = smallCheckpoint(),
): Promise<TinyModel> {
  const model = await TinyModel.start("small", checkpoint, { slots: 8, ...options });
  onTestFinished(() => model.close());
  return model;
}
