import { chat } from "./chat.ts";
import type { Dialect } from "./dialect.ts";
import { embeddings } from "./embeddings.ts";
import { gemini } from "./gemini/index.ts";
import { messages } from "./messages/index.ts";
import { responses } from "./responses/index.ts";

/** Every dialect of the gateway. */
export const dialects: readonly Dialect[] = [chat, responses, messages, gemini, embeddings];
