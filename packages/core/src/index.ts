// Define
export { defineEnvironment } from "./definition/define-environment.ts";
export type {
  Environment,
  EnvironmentDefinition,
  EnvironmentFactory,
  NoState,
} from "./definition/environment.ts";
export type { InferExample, InferScoreName, InferSeat, InferState } from "./definition/infer.ts";
export type { SeatDefinition } from "./definition/seat.ts";
export type { Models, SeatModels } from "./rollout/assign-models.ts";
export { mix } from "./definition/mix.ts";
export type {
  MixConfig,
  MixDefinition,
  MixExample,
  MixPart,
  PartSource,
} from "./definition/mix.ts";
export type { Board, BoardCell } from "./definition/board.ts";
export type { Choice } from "./definition/choice.ts";
export type {
  DatasetContext,
  EpisodeContext,
  PolicyContext,
  PositionContext,
  SeatContext,
  SetupContext,
  ToolsContext,
  TurnContext,
} from "./definition/context.ts";
export { mergeTools, tool } from "./definition/tool.ts";
export type { Tool, Toolset } from "./definition/tool.ts";
export type { WorkspaceChanges, WorkspaceFiles } from "./model/workspace-files.ts";
export type { Requirement } from "./definition/requirement.ts";
export { end, invalid } from "./message/stop.ts";
export type { End, Invalid, StopReason } from "./message/stop.ts";
export type {
  GroupMetric,
  GroupScore,
  JudgePrompt,
  Metric,
  Metrics,
  Rubric,
  ScoreContext,
  ScoreFunction,
  ScoreNeed,
  Scores,
  ScoreValue,
  ScoreWithFeedback,
  WeightedScore,
} from "./rubric/rubric.ts";

// Data
export * as dataset from "./dataset/rows.ts";
export type { Dataset, Example, Rows } from "./dataset/example.ts";
export { random } from "./random.ts";
export type { Random, Seed } from "./random.ts";
export type { DeepReadonly } from "./json.ts";

// Parsers
export { boxedParser } from "./parsers/boxed-parser.ts";
export { jsonParser } from "./parsers/json-parser.ts";
export type { Parser } from "./parsers/parser.ts";
export { thinkParser } from "./parsers/think-parser.ts";
export { xmlParser } from "./parsers/xml-parser.ts";
export type { XmlParser } from "./parsers/xml-parser.ts";

// Messages and models
export { textOf } from "./message/content.ts";
export type {
  AudioPart,
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  MediaKind,
  MediaPart,
  TextPart,
} from "./message/content.ts";
export { audioPart, filePart, imagePart } from "./message/media.ts";
export {
  assistantMessage,
  callTools,
  lastReply,
  repliesOf,
  userMessage,
} from "./message/message.ts";
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "./message/message.ts";
export type { Model, ModelRequest, ModelResponse, Sampling } from "./model/model.ts";
export { policy } from "./model/policy.ts";

export type {
  Judge,
  JudgeModels,
  JudgeOptions,
  JudgeRequest,
  JudgeUsage,
  JudgeUsages,
} from "./rubric/judge.ts";

export type {
  AskSubModel,
  SubModelAnswer,
  SubModelDefinition,
  SubModelOptions,
} from "./model/sub-model.ts";
export type { Branch, SubModelUsage, SubModelUsages } from "./model/branch.ts";

// Run
export { evaluate } from "./run/evaluate.ts";
export type { EvaluateOptions, Evaluation } from "./run/evaluate.ts";
export type { RetryOptions } from "./run/attempts.ts";
export { rollout } from "./rollout/rollout.ts";
export type { PlayOptions } from "./rollout/play-options.ts";
export type {
  EarlierAttempt,
  FailedRollout,
  Failure,
  Rollout,
  ScoredRollout,
} from "./rollout/record.ts";
export { rollouts } from "./run/run.ts";
export type { RolloutEvent, RolloutsOptions } from "./run/run.ts";
export type { Statistics } from "./run/statistics.ts";
export type { Summary } from "./run/summary.ts";
export type { ToolUse, ToolUses } from "./episode/call-counts.ts";
export type { Turn } from "./model/trajectory.ts";

// Errors
export { ConfigError, RolloutError } from "./errors.ts";
export type { RolloutErrorCode } from "./errors.ts";
