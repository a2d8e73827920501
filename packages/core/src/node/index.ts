// Datasets from files
export { byteLines, jsonLines } from "./json-lines.ts";
export { readChats } from "./read-chats.ts";

// Rollouts that cannot end each other
export { judgeFile } from "./judge-file.ts";
export { isolateRollouts } from "./isolate-rollouts.ts";
export type { IsolationOptions } from "./isolate-rollouts.ts";

// Functions in worker threads
export { inThread } from "./in-thread.ts";
export type { InThread, ThreadCallOptions, ThreadOptions } from "./in-thread.ts";

// Runs on disk
export { MediaReader, MediaWriter } from "./media-store.ts";
export { createFolder } from "./create-folder.ts";
export { findRuns, runsFolder } from "./run-folder.ts";
export { lockRun } from "./run-lock.ts";
export { createRun, readMetadata, readRollouts, readRun, reopenRun } from "./run-store.ts";
export type { ReadRunOptions, RunWriter } from "./run-store.ts";
export type { StoredRun, UnreadableLine } from "./stored-run.ts";
export { WriteError } from "./write-error.ts";

// Servers on this machine
export { foreignRequestProblem } from "./local-request.ts";

// Models over HTTP
export { chatServer } from "./chat-server/chat-server.ts";
export type { ChatServer, ChatServerOptions } from "./chat-server/chat-server.ts";
