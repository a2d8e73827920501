export { judgeArguments, judgePlan, loadJudge, sharedModels } from "../models/load-judge.ts";
export { loadModel, modelSyntax } from "../models/load-model.ts";
export type { LoadedModel } from "../models/loaded-model.ts";
export { loadSubModel, subModelArguments } from "../models/sub-model.ts";
export type { KnownPrice } from "@envs/models/prices";
