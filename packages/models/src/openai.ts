import { type ServedModel, servedModel } from "./served-model.ts";
import type { OpenAIOptions } from "./wire/chat-request.ts";
import { chatWire } from "./wire/chat-wire.ts";

/** Creates a model on any server with OpenAI's chat-completions API, or on several servers of the same model. */
export function openai(name: string, options: OpenAIOptions = {}): ServedModel {
  return servedModel(name, chatWire, options);
}
