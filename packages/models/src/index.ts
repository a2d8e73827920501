// Models over HTTP
export { openai } from "./openai.ts";
export type { OpenAIOptions } from "./wire/chat-request.ts";
export type { ServedModel } from "./served-model.ts";
export type { ServerUse } from "./spread.ts";

// Models of the AI SDK
export { aiSdk } from "./ai-sdk/ai-sdk.ts";
export { toPrompt } from "./ai-sdk/ai-sdk-prompt.ts";

// Write a client for another wire format
export { servedModel } from "./served-model.ts";
export type { ServerContext } from "./http/server-error.ts";
export { assistantFrom } from "./wire/assistant-from.ts";
export { replyEnd } from "./wire/finish-reason.ts";
export { interruptedReply, parseReply } from "./wire/parse-reply.ts";
export type { ServerOptions } from "./wire/server-target.ts";
export { createToolCalls } from "./wire/tool-call-ids.ts";
export { mediaInUserMessages } from "./wire/tool-media.ts";
export type { EventPlace, StreamJoiner, Wire, WireBody } from "./wire/wire.ts";
