// A model as a server
export { chatServer, checkMedia } from "./chat-server.ts";
export type { ChatServer, ChatServerOptions } from "./chat-server.ts";

// Parts of servers that speak other dialects
export { chatReply, pieces } from "./chat-reply.ts";
export type { ReplyContext } from "./chat-reply.ts";
export { badRequest, parseBody, readBody, readChatRequest } from "./chat-request.ts";
export { errorReply, HttpError, json, send } from "./http-reply.ts";
export type { HttpReply } from "./http-reply.ts";
export { listen } from "./listen.ts";
export type { Exchange, ListeningServer, ListenOptions } from "./listen.ts";
export { lastComma, rawFields } from "../wire/raw-fields.ts";
export type { RawFields } from "../wire/raw-fields.ts";
export { foreignRequestProblem } from "./local-request.ts";
