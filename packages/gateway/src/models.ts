import { type ServedModel, servedModel, type ServerOptions } from "@envs/models";

import { geminiWire } from "./dialects/gemini/wire.ts";
import { messagesWire } from "./dialects/messages/wire.ts";
import { responsesWire } from "./dialects/responses/wire.ts";

/** Creates a model on OpenAI's API, or on any server with its Responses. */
export function responses(name: string, options: ServerOptions = {}): ServedModel {
  return servedModel(name, responsesWire, options);
}

/**
 * Creates a model on Anthropic's API, or on any server with its Messages. A reply has at most 8,192 tokens, unless `sampling`
 * says otherwise: the API requires a limit.
 */
export function messages(name: string, options: ServerOptions = {}): ServedModel {
  return servedModel(name, messagesWire, options);
}

/** Creates a model on Google's Gemini API, or on any server with its generateContent. */
export function gemini(name: string, options: ServerOptions = {}): ServedModel {
  return servedModel(name, geminiWire, options);
}
