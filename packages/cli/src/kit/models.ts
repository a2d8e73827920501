export { apiKeyFrom } from "../models/api-key.ts";
export { otherCosts } from "../models/helper-costs.ts";
export {
  judgeArguments,
  judgeNames,
  judgePlan,
  loadJudge,
  sharedModels,
} from "../models/load-judge.ts";
export type { JudgePlan, LoadedJudge } from "../models/load-judge.ts";
export { loadModel, modelSyntax } from "../models/load-model.ts";
export { loadModels } from "../models/load-models.ts";
export { loadPlayers, modelNamesIn, seatModelNames } from "../models/load-players.ts";
export type { LoadedPlayers } from "../models/load-players.ts";
export type { LoadedModel } from "../models/loaded-model.ts";
export type { ModelLoader } from "../models/model-loader.ts";
export { loadSubModel, subModelArguments, subModelPlan } from "../models/sub-model.ts";
export type { SubModelPlan } from "../models/sub-model.ts";
export type { KnownPrice } from "@envs/models/prices";
