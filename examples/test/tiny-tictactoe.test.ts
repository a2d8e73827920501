import type { Model } from "@envs/core";
import tictactoe from "@envs/tictactoe";
import { describeEnvironment } from "@envs/vitest";

// #region describe
describeEnvironment(tictactoe(), {
  model: tinyModel("tiny:tictactoe"),
  examples: 6,
  trials: 4,
  each: "none",
  gate: { passRate: 0.3, passAtK: { 4: 0.5 } },
  budget: { tokens: 50_000 },
});
// #endregion

/** Loads the checkpoint with the first call, so that a run of recorded replies does not load it. */
function tinyModel(name: string): Model {
  let loading: Promise<Model> | undefined;
  const load = async (): Promise<Model> => {
    const { chatModel, TinyModel } = await import("@envs/tiny-model");
    const { findCheckpoint } = await import("@envs/tiny-model/node");
    const { checkpoint } = await findCheckpoint(name);
    return chatModel(await TinyModel.start(name, checkpoint));
  };
  const ask: Model = async (request) => await (await (loading ??= load()))(request);
  return Object.assign(ask, { id: name });
}
