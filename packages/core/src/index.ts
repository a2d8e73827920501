// Define
export { defineEnvironment } from "./define-environment.ts";
export type {
  Environment,
  EnvironmentDefinition,
  EnvironmentFactory,
  InferExample,
  InferScoreName,
  InferSeat,
  InferState,
  NoState,
} from "./environment.ts";
export type { SeatDefinition } from "./seats/seat.ts";
export type { Models, SeatModels } from "./seats/assign-models.ts";
export { mix } from "./mix/mix.ts";
export type { MixConfig, MixDefinition, MixExample, MixPart, PartSource } from "./mix/mix.ts";
export type { Board, BoardCell } from "./board.ts";
export type { Choice } from "./choice.ts";
export type {
  DatasetContext,
  EpisodeContext,
  PolicyContext,
  PositionContext,
  SeatContext,
  SetupContext,
  ToolsContext,
  TurnContext,
} from "./context.ts";
export { mergeTools, tool } from "./tool.ts";
export type { Tool, Toolset } from "./tool.ts";
export type { WorkspaceChanges, WorkspaceFiles } from "./workspace-files.ts";
export type { Requirement } from "./requirement.ts";
export { end, invalid } from "./stop.ts";
export type { End, Invalid, StopReason } from "./stop.ts";
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
} from "./rubric.ts";

// Data
export { filter, map, shuffle, split, take } from "./example.ts";
export type { Dataset, Example, Rows } from "./example.ts";
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
export { text } from "./content.ts";
export type {
  AudioPart,
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  MediaKind,
  MediaPart,
  TextPart,
} from "./content.ts";
export { audio, file, image } from "./media.ts";
export { assistant, assistantMessages, callTools, lastReply, user } from "./message.ts";
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "./message.ts";
export type { Model, ModelRequest, ModelResponse, Sampling } from "./model.ts";
export { aiSdk } from "./models/ai-sdk.ts";
export { openai } from "./models/openai.ts";
export type { ServedModel } from "./models/served-model.ts";
export type { ServerUse } from "./models/spread.ts";
export type { OpenAIOptions } from "./models/chat-request.ts";
export { policy } from "./policy.ts";

export type {
  Judge,
  JudgeModels,
  JudgeOptions,
  JudgeRequest,
  JudgeUsage,
  JudgeUsages,
} from "./judge/judge.ts";

export type {
  AskSubModel,
  SubModelAnswer,
  SubModelDefinition,
  SubModelOptions,
} from "./sub-model/sub-model.ts";
export type { Branch, SubModelUsage, SubModelUsages } from "./sub-model/branch.ts";

// Run
export { evaluate } from "./evaluate.ts";
export type { EvaluateOptions, Evaluation } from "./evaluate.ts";
export type { RetryOptions } from "./attempts.ts";
export { rollout } from "./rollout.ts";
export type { PlayOptions } from "./rollout.ts";
export type {
  EarlierAttempt,
  FailedRollout,
  Failure,
  Rollout,
  ScoredRollout,
} from "./rollout-record.ts";
export { rollouts } from "./rollouts.ts";
export type { RolloutEvent, RolloutsOptions } from "./rollouts.ts";
export type { Statistics } from "./statistics.ts";
export type { Summary } from "./summary.ts";
export type { ToolUse, ToolUses } from "./tool-use.ts";
export type { Turn } from "./trajectory.ts";

// Errors
export { ConfigError, RolloutError } from "./errors.ts";
export type { RolloutErrorCode } from "./errors.ts";
