// Backends: what can be sampled from and trained
export type {
  Backend,
  BackendWork,
  Completion,
  Datum,
  Forward,
  ForwardBackward,
  OptimizerSettings,
  SampleRequest,
} from "./backend.ts";
export { backendModel } from "./backend-model.ts";
export type { BackendModelOptions } from "./backend-model.ts";

// The tiny language model
export { TinyBackend, untrained } from "./tiny/tiny-backend.ts";
export type { TinyOptions } from "./tiny/tiny-backend.ts";
export { readCheckpoint, shapeFor, writeCheckpoint } from "./tiny/checkpoint.ts";
export type { Checkpoint } from "./tiny/checkpoint.ts";
export type { Shape } from "./engine/shape.ts";

// Large models
export { tinkerBackend } from "./tinker/tinker-backend.ts";
export type { TinkerOptions } from "./tinker/tinker-backend.ts";

// Text to tokens
export { chatRenderer } from "./tokenizer/chat-renderer.ts";
export type { Renderer } from "./tokenizer/renderer.ts";
export { tokenizerFromJSON } from "./tokenizer/tokenizer-from-json.ts";
export type { Tokenizer } from "./tokenizer/tokenizer.ts";
export { trainTokenizer } from "./tokenizer/train-tokenizer.ts";
export type { TokenizerOptions } from "./tokenizer/train-tokenizer.ts";

// Advantages and losses
export { advantages } from "./algorithms/advantages.ts";
export type { AdvantageEstimator } from "./algorithms/advantages.ts";
export type { LossSettings } from "./algorithms/loss-settings.ts";
export { datumOf, sequencesOf } from "./algorithms/trajectory.ts";
export type { Sequence } from "./algorithms/trajectory.ts";
export { turnAdvantages } from "./algorithms/turn-credit.ts";

// Train
export { defineTraining, trainingPlan } from "./train/plan.ts";
export type { TrainingPlan, TrainingPlanInput } from "./train/plan.ts";
export { train } from "./train/train.ts";
export type { Place, TrainingEvent, TrainOptions } from "./train/train.ts";

// Find out whether an environment can be learned
export { smoke } from "./smoke/smoke.ts";
export type { SmokeOptions, SmokeReport } from "./smoke/smoke.ts";
export type { SmokeProgress } from "./smoke/learn.ts";
export type { Learning, Probe, SmokeEvidence } from "./smoke/evidence.ts";
export type { Verdict } from "./smoke/verdict.ts";
