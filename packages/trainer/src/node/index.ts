// Training runs in folders
export { runTraining } from "./run-training.ts";
export type { RunTrainingOptions, TrainingOutcome } from "./run-training.ts";
export type { PlayWithWeights } from "./play-elsewhere.ts";
export type { ExactFigures } from "./stages.ts";
export { findTrainingRuns, readRecord, readState, trainingRuns } from "./training-folder.ts";
export type { TrainingRecord, TrainingState } from "./training-folder.ts";
export { writeReport } from "./write-report.ts";
export { readMetrics } from "../report/metrics.ts";
export type { MetricsRow } from "../report/metrics.ts";

// Large models
export { baseModelOf } from "../train/model-settings.ts";
export { readAdapterArchive } from "./adapter-files.ts";
export { completeAdapterConfig } from "./adapter-config.ts";
export type { AdapterFiles } from "../backend.ts";
export { describeService } from "../tinker/describe-service.ts";
export type { ServiceDescription } from "../tinker/describe-service.ts";
export { neededLosses, planProblems } from "../tinker/plan-problems.ts";
export { loadRenderer } from "./load-renderer.ts";
export { tokenPrice } from "./token-meter.ts";
export type { TokenPrice } from "./token-meter.ts";
export type { TokenCounts } from "../report/training-report.ts";
