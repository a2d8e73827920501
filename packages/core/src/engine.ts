// Drive an episode
export { episode } from "./episode/episode.ts";
export { scoreEpisodes } from "./episode/score-episodes.ts";
export type { Episode } from "./episode/episode.ts";
export type { EpisodeOptions, Observation } from "./episode/options.ts";
export { replay, requestOf } from "./episode/drive.ts";
export type { Conversation } from "./episode/conversation.ts";
export type { Player, PlayerAnswer } from "./episode/table.ts";

export { workspaceTool } from "./definition/workspace-tool.ts";

// Read the dataset
export { examples, splitSizesOf, splitsOf } from "./definition/read-dataset.ts";
export type { ExampleSource, KeyedExample } from "./dataset/example.ts";

// Describe an environment
export type { AnyDefinition } from "./definition/environment.ts";
export type { LabelledChoice } from "./definition/choice.ts";
export { checkRequirements, requirementsOf } from "./definition/check-requirements.ts";
export { partsOf, playedBy } from "./definition/part.ts";
export { maxTurnsOf, modelCheck, policyNamesOf, toolSpecsOf } from "./definition/inspect.ts";
export { checkModels } from "./rollout/assign-models.ts";
export { defaultSeats } from "./definition/seat.ts";
export { seatNamesOf, trainableSeatsOf } from "./definition/seat-names.ts";
export { describeScores } from "./rubric/rubric.ts";
export type { ScoreDescription, ScoreResult } from "./rubric/rubric.ts";

// Read the content of messages
export { contentProblem } from "./message/check-content.ts";
export { areContentParts, isMediaPart, mediaKind, mediaParts } from "./message/content.ts";
export { dataUrl, parseDataUrl } from "./message/data-url.ts";
export { describeContent, describePart } from "./message/describe-content.ts";
export { checkTextOnly, requireText } from "./model/text-only.ts";

// Adapt a model
export type { AgentCall } from "./model/model.ts";
export type { RelayedCall, ServerReport } from "./model/model.ts";
export { checkResponse, mergeSampling } from "./model/model.ts";
export { addUsage, noUsage } from "./model/usage.ts";
export { asMessages } from "./message/message.ts";
export type { FinishReason, ReplyFormat, ToolChoice, ToolSpec } from "./model/model.ts";
export type { TokenTrace, Usage } from "./model/usage.ts";

// Ask a judge
export { checkJudge, defaultJudge, judgedScores, missingJudge } from "./definition/judge-needs.ts";
export { sharedJudges } from "./rubric/shared-judge.ts";
export type { JudgeStore } from "./rubric/judge.ts";

// Ask a sub-model
export { asksSubModel, checkSubModel, subModelBudget } from "./definition/sub-model-needs.ts";
export type { SubModelBudget } from "./definition/sub-model-needs.ts";
export { runSubModel } from "./rollout/run-sub-model.ts";

// Plan and summarize a run
export { defaultRetryTimes, retryableCodes } from "./run/attempts.ts";
export { defaultExamples, defaultRolloutsPerExample } from "./run/run.ts";
export type { RolloutKey } from "./run/run.ts";
export { passAtK, passHatK } from "./run/statistics.ts";
export { factsOf } from "./run/facts.ts";
export type { RolloutFacts } from "./run/facts.ts";
export { isFiltered } from "./rollout/record.ts";
export type { SeatRollout } from "./rollout/record.ts";
export { usageOfBranches } from "./model/branch.ts";
export { createSummarizer, summarizer } from "./run/summary.ts";
export type { Summarizer } from "./run/summary.ts";
export type { Span } from "./model/clock.ts";

// Classify errors
export {
  asRolloutError,
  isConfigError,
  isRolloutError,
  messageOf,
  rolloutErrorCodes,
} from "./errors.ts";
export type { RolloutErrorOptions } from "./errors.ts";

// Run concurrently
export { pool } from "./run/pool.ts";

// Write JSON and addresses
export { canonicalJson, contentHash, mapValues, omitUndefined, parseJson } from "./json.ts";
export { isRedacted, redactUrl, splitUrls } from "./model/redact-url.ts";

// Wait
export { eventLoopYield, onAbort, sleep } from "./abort.ts";
export { now } from "./model/clock.ts";

// Attribute the errors of an author's code
export { type HookCall, setHookTracker } from "./hook-scope.ts";
