// Rollouts, one per line
export { exampleHash, isReadable, parseRow, readParsedRecord, readRecord } from "./read-record.ts";
export type {
  Phase,
  ReadRollout,
  RecordedScore,
  RecordedToken,
  RecordedTurn,
  UnreadableRow,
} from "./read-rollout.ts";
export { isTrajectory, readTrajectory } from "./read-trajectory.ts";
export { readSample } from "./read-sample.ts";
export { RolloutNumbers } from "./rollout-numbers.ts";
export type { Row, SeatRow } from "./row.ts";
export type { TurnRow } from "./row-fields.ts";
export { exampleSetHash } from "./example-set-hash.ts";
export { pushedTotals } from "./pushed-totals.ts";
export type { PushedTotals } from "./pushed-totals.ts";
export { toRow } from "./write-row.ts";

// Conversations for trainers, one per line
export { toChat } from "./chat.ts";
export type { Chat, ChatRow } from "./chat.ts";

// JSON that other programs wrote
export { fieldsOf, isFields, listOf, numberOf, parseJson, shownText, textOf } from "./json.ts";
export type { Fields } from "./json.ts";

// Images, audio and files beside the rows
export { mapMedia, mapMessages, mediaReference, parseMediaReference } from "./media.ts";
export type { MediaReference, ReplaceMedia } from "./media.ts";

// Runs
export { parseMetadata, schemaVersion, totals } from "./metadata.ts";
export type { Metadata } from "./metadata.ts";
export { type PairedExample, type PairedRuns, pairExamples } from "./pair-examples.ts";

// Confidence intervals
export { bootstrapMean, type Interval } from "./intervals/bootstrap.ts";
export { meanInterval, meanOf, riseInterval } from "./intervals/student.ts";
export { perfectCount, type ShareInterval, wilsonInterval } from "./intervals/wilson.ts";

// Messages of a rollout as a graph
export { conversationTo, messageGraph, pathTo } from "./message-graph.ts";
export type { GraphCall, MessageGraph } from "./message-graph.ts";
export type { MessageNode } from "./message-tree.ts";

// Seats of a rollout
export { sidesOf } from "./sides.ts";
// The code of an environment
export { contentFiles, contentHashOf, packageContentHash } from "./content-hash.ts";
export type { HashedFile, PackageFile } from "./content-hash.ts";
export { trialReward } from "./trial-facts.ts";
