// Backends: models that can be sampled from and trained
export type {
  AdapterFiles,
  Backend,
  BackendRequirements,
  Datum,
  Forward,
  ForwardBackward,
  LoadOptions,
  SamplingWeights,
} from "./backend.ts";
export type { AdamWSettings, Completion, Renderer, SampleRequest } from "@envs/tiny-model";
export { tinyBackend } from "./tiny-backend.ts";
export { loraBackend } from "./lora-backend.ts";
export type { LoraBackendOptions } from "./lora-backend.ts";
export { tinkerBackend } from "./tinker/tinker-backend.ts";
export type { TinkerOptions } from "./tinker/tinker-backend.ts";
export { tinkerSampler } from "./tinker/tinker-sampler.ts";
export type { TinkerSamplerOptions } from "./tinker/tinker-sampler.ts";

// Advantages and losses
export { advantages } from "./algorithms/advantages.ts";
export type { AdvantageEstimator } from "./algorithms/advantages.ts";
export type { LossSettings } from "./algorithms/loss-settings.ts";
export { datumOf, hasTokens, sequencesOf } from "./algorithms/trajectory.ts";
export type { Sequence } from "./algorithms/trajectory.ts";
export { turnAdvantages } from "./algorithms/turn-credit.ts";

// Train
export { defineTraining, trainingPlan } from "./train/plan.ts";
export type { TrainingPlan, TrainingPlanInput } from "./train/plan.ts";
export type { PlayRollouts } from "./train/play-rollouts.ts";
export { seatModels, type SeatSettings } from "./train/model-seats.ts";
export { train } from "./train/train.ts";
export type { TrainingEvent, TrainingPosition, TrainOptions } from "./train/train.ts";

// Test whether an environment can be learned
export { smoke } from "./smoke/smoke.ts";
export type { SmokeOptions, SmokeReport } from "./smoke/smoke.ts";
export type { SmokeProgress } from "./smoke/smoke-training.ts";
export type { Learning, Probe, SmokeEvidence } from "./smoke/evidence.ts";
export type { Verdict } from "./smoke/verdict.ts";
