// Runs on disk
export { createFolder } from "./create-folder.ts";
export { MediaReader, MediaWriter } from "./media-store.ts";
export { findRuns, runsFolder } from "./run-folder.ts";
export { lockRun } from "./run-lock.ts";
export { reopenRun } from "./reopen-run.ts";
export { readMetadata, readRollouts, readRun } from "./run-store.ts";
export { createRun } from "./run-writer.ts";
export { isTraceRun } from "./trace-run.ts";
export { readTrials } from "./trials.ts";
export type { ReopenRunOptions, SavedRollout } from "./reopen-run.ts";
export type { ReadRunOptions } from "./run-store.ts";
export type { RunWriter } from "./run-writer.ts";
export type { StoredRun, UnreadableLine } from "./stored-run.ts";

// Conversations for trainers
export { readChats } from "./read-chats.ts";

// Answers of judges
export { judgeFile } from "./judge-file.ts";

// Files in lines
export { byteLines, jsonLines, lines } from "./json-lines.ts";
export { lineParts } from "./line-parts.ts";
export type { LinePart } from "./line-parts.ts";
export { replaceFile } from "./replace-file.ts";
export { WriteError } from "./write-error.ts";

// Rollouts that cannot end each other
export { isolateRollouts } from "./isolate-rollouts.ts";
export type { IsolationOptions } from "./isolate-rollouts.ts";

// Processes: those that run, and those that end with this one
export { isAlive } from "./is-alive.ts";
export { unwatchGroup, watchGroup } from "./reaper.ts";
