// Datasets from files
export { byteLines, jsonLines, lines } from "./json-lines.ts";

// Replies that are kept
export { openCassette } from "./cassette-file.ts";
export type { CassetteFile, OpenCassetteOptions } from "./cassette-file.ts";
export type { Cassette, CassetteMode } from "../cassette/cassette.ts";
export type { RecordedRequest, Recording } from "../cassette/recording.ts";

// Rollouts that cannot end each other
export { isolateRollouts } from "./isolate-rollouts.ts";
export type { IsolationOptions } from "./isolate-rollouts.ts";

// Functions in worker threads
export { inThread } from "./in-thread.ts";
export type { InThread, ThreadCallOptions, ThreadOptions } from "./in-thread.ts";

// Files that the system cannot write
export { WriteError } from "./write-error.ts";

// Processes that end with this one
export { unwatchGroup, watchGroup } from "./reaper.ts";

// Servers on this machine
export { foreignRequestProblem } from "./local-request.ts";

// Parts of HTTP servers that speak other dialects
export { chatReply, pieces } from "./chat-server/chat-reply.ts";
export type { ReplyContext } from "./chat-server/chat-reply.ts";
export { badRequest, parseBody, readBody, readChatRequest } from "./chat-server/chat-request.ts";
export { errorReply, HttpError, json, send } from "./chat-server/http-reply.ts";
export type { HttpReply } from "./chat-server/http-reply.ts";
export { listen } from "./chat-server/listen.ts";
export type { Exchange, ListeningServer, ListenOptions } from "./chat-server/listen.ts";

// Models over HTTP
export { checkMedia } from "./chat-server/chat-server.ts";
export { chatServer } from "./chat-server/chat-server.ts";
export type { ChatServer, ChatServerOptions } from "./chat-server/chat-server.ts";
