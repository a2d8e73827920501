// Define
export { defineEnvironment } from "./environment.ts";
export type {
  AnyDefinition,
  Environment,
  EnvironmentDefinition,
  EnvironmentFactory,
  InferExample,
  InferScoreName,
  InferState,
  NoState,
  Tool,
} from "./environment.ts";
export type { DatasetContext, EpisodeContext, PolicyContext, SetupContext } from "./context.ts";
export type { AskOpponent, Opponent, OpponentQuestion } from "./opponent.ts";
export { end } from "./stop.ts";
export type { End, StopReason } from "./stop.ts";
export type {
  GroupScore,
  GroupScoreFunction,
  Memo,
  Rubric,
  ScoreContext,
  Scored,
  ScoreFunction,
  Scores,
  ScoreValue,
  WeightedScore,
} from "./rubric.ts";

// Data
export { filter, map, shuffle, split, take } from "./example.ts";
export type { Dataset, Example, KeyedExample, Rows } from "./example.ts";
export { random } from "./random.ts";
export type { Random, Seed } from "./random.ts";

// Parsers
export { boxedParser } from "./parsers/boxed-parser.ts";
export { jsonParser } from "./parsers/json-parser.ts";
export type { Parser } from "./parsers/parser.ts";
export { thinkParser } from "./parsers/think-parser.ts";
export type { ThinkParserOptions } from "./parsers/think-parser.ts";
export { xmlParser } from "./parsers/xml-parser.ts";
export type { XmlField, XmlFields, XmlParser } from "./parsers/xml-parser.ts";

// Messages and models
export { assistant, assistantMessages, lastReply, user } from "./message.ts";
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "./message.ts";
export type {
  AskPolicy,
  FinishReason,
  Model,
  ModelCheck,
  ModelRequest,
  ModelResponse,
  Sampling,
  TokenTrace,
  ToolSpec,
  Usage,
} from "./model.ts";
export { aiSdk } from "./models/ai-sdk.ts";
export { openai } from "./models/openai.ts";
export type { OpenAIOptions } from "./models/openai.ts";
export { policy } from "./policy.ts";

// Run
export { episode } from "./episode.ts";
export type { Episode, EpisodeOptions, Observation } from "./episode.ts";
export { evaluate } from "./evaluate.ts";
export type { EvaluateOptions, Evaluation } from "./evaluate.ts";
export { examples } from "./examples.ts";
export type { ExamplesOptions } from "./examples.ts";
export { replay } from "./replay.ts";
export { requestOf } from "./request.ts";
export { rollout } from "./rollout.ts";
export type { PlayOptions } from "./rollout.ts";
export type { FailedRollout, Failure, Rollout, ScoredRollout } from "./rollout-record.ts";
export { defaultExamples, defaultRolloutsPerExample, rollouts } from "./rollouts.ts";
export type { RolloutEvent, RolloutKey, RolloutsOptions } from "./rollouts.ts";
export type { Span, Timing, Trajectory, Turn } from "./trajectory.ts";

// Describe
export { maxTurnsOf, modelCheck, toolSpecsOf } from "./inspect.ts";
export { splitsOf, splitSizesOf } from "./examples.ts";
export type { SplitSize } from "./examples.ts";
export { describeRubric } from "./rubric.ts";
export type { ScoreDescription } from "./rubric.ts";

// Sum up
export { passAtK, passHatK } from "./pass.ts";
export type { HistogramBin, Statistics } from "./statistics.ts";
export { summarizer } from "./summary.ts";
export type { Summarizer, SummarizerOptions, Summary } from "./summary.ts";

// Errors
export {
  ConfigError,
  isConfigError,
  isRolloutError,
  RolloutError,
  rolloutErrorCodes,
} from "./errors.ts";
export type { Issue, RolloutErrorCode, RolloutErrorOptions } from "./errors.ts";
