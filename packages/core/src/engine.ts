// Drive an episode
export { episode } from "./episode.ts";
export { scoreEpisodes } from "./score-episodes.ts";
export type { Episode } from "./episode.ts";
export type { EpisodeOptions, Observation } from "./episode-options.ts";
export { replay, requestOf } from "./drive.ts";
export type { Conversation } from "./seats/conversation.ts";
export type { Player, PlayerAnswer, PlayerLimit } from "./seats/table.ts";

export { workspaceTool } from "./workspace-tool.ts";

// Read the dataset
export { examples, splitSizesOf, splitsOf } from "./examples.ts";
export type { ExamplesOptions, SplitSize } from "./examples.ts";
export type { KeyedExample } from "./example.ts";

// Describe an environment
export type { AnyDefinition } from "./environment.ts";
export type { LabelledChoice } from "./choice.ts";
export { checkRequirements, requirementsOf } from "./check-requirements.ts";
export { partsOf, playedBy } from "./mix/part.ts";
export { toPrompt } from "./models/ai-sdk-prompt.ts";
export { maxTurnsOf, modelCheck, policyNamesOf, toolSpecsOf } from "./inspect.ts";
export { checkModels } from "./seats/assign-models.ts";
export { defaultSeats } from "./seats/seat.ts";
export { seatNamesOf, trainableSeatsOf } from "./seats/seat-names.ts";
export { sidesOf } from "./seats/sides.ts";
export { describeScores } from "./rubric.ts";
export type { Memo, ScoreDescription, ScoreResult } from "./rubric.ts";

// Read the content of messages
export { contentProblem } from "./check-content.ts";
export { areContentParts, isMediaPart, mediaKind, mediaParts } from "./content.ts";
export { dataUrl, parseDataUrl } from "./data-url.ts";
export { describeContent, describePart } from "./describe-content.ts";
export { mediaInUserMessages } from "./models/tool-media.ts";
export { checkTextOnly, requireText } from "./models/text-only.ts";

// Read the messages of a rollout as a graph
export { conversationTo, messageGraph, pathTo } from "./message-graph/message-graph.ts";
export { MessageTree } from "./message-graph/message-tree.ts";
export type { GraphCall, MessageGraph } from "./message-graph/message-graph.ts";
export type { MessageNode } from "./message-graph/message-tree.ts";

// Adapt a model
export type { AgentCall } from "./agent-call.ts";
export type { RelayedCall } from "./relay.ts";
export { costOf } from "./token-price.ts";
export type { TokenPrice } from "./token-price.ts";
export { addUsage, checkResponse, mergeSampling, noUsage } from "./model.ts";
export { asMessages, assistantFrom } from "./message.ts";
export { createToolCalls } from "./models/tool-call-ids.ts";
export { replyEnd } from "./models/finish-reason.ts";
export { interruptedReply, parseReply } from "./models/parse-reply.ts";
export { servedModel } from "./models/served-model.ts";
export type { ServerContext } from "./models/server-error.ts";
export type { ServerOptions } from "./models/server-target.ts";
export type { EventPlace, StreamJoiner, Wire, WireBody } from "./models/wire.ts";
export type {
  AskPolicy,
  FinishReason,
  ModelCheck,
  ReplyFormat,
  TokenTrace,
  ToolChoice,
  ToolSpec,
  Usage,
} from "./model.ts";

// Ask a judge
export {
  checkJudge,
  defaultJudge,
  judgedScores,
  judgePrompts,
  missingJudge,
} from "./judge/needs.ts";
export { sharedJudges } from "./judge/shared-judge.ts";
export type { JudgeStore } from "./judge/judge.ts";

// Ask a sub-model
export { asksSubModel, checkSubModel, subModelBudget } from "./sub-model/needs.ts";
export type { SubModelBudget } from "./sub-model/needs.ts";
export { runSubModel } from "./sub-model/run-sub-model.ts";

// Plan and summarize a run
export { defaultRetryTimes, retryableCodes } from "./attempts.ts";
export { defaultExamples, defaultRolloutsPerExample } from "./rollouts.ts";
export type { RolloutKey } from "./rollouts.ts";
export { passAtK, passHatK } from "./statistics.ts";
export type { HistogramBin } from "./statistics.ts";
export { exampleSetHash, factsOf } from "./rollout-facts.ts";
export type { RolloutFacts } from "./rollout-facts.ts";
export { isFiltered } from "./rollout-record.ts";
export type { SeatRollout } from "./rollout-record.ts";
export { usageOfBranches } from "./sub-model/branch.ts";
export { createSummarizer, summarizer } from "./summary.ts";
export type { Summarizer, SummarizerOptions } from "./summary.ts";
export type { Span, Timing } from "./trajectory.ts";

// Classify errors
export {
  asRolloutError,
  isConfigError,
  isRolloutError,
  messageOf,
  rolloutErrorCodes,
} from "./errors.ts";
export type { Issue, RolloutErrorOptions } from "./errors.ts";

// Run concurrently
export { pool } from "./pool.ts";

// Write JSON and addresses
export { canonicalJson, contentHash, mapValues, omitUndefined, parseJson } from "./json.ts";
export { isRedacted, redactUrl } from "./redact-url.ts";

// Wait
export { onAbort, sleep } from "./abort.ts";
export { now } from "./trajectory.ts";
