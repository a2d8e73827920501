import { chatReply, errorReply, readChatRequest } from "@envs/models/server";

import type { Dialect } from "./dialect.ts";
import { sseEvent } from "./events.ts";

/** OpenAI's chat completions. */
export const chat: Dialect = {
  name: "chat",
  match: (path) => (path === "/chat/completions" ? "call" : undefined),
  decode({ json: body }) {
    const request = readChatRequest(body);
    const { model, isStream, messages, tools, toolChoice, format, sampling, seed, effort } =
      request;
    return {
      model,
      isStream,
      effort,
      input: { messages, tools, toolChoice, format, sampling, seed },
      encode: (response, { id, time }) =>
        chatReply(response, request, {
          id: `chatcmpl-${id}`,
          model,
          created: Math.floor(time / 1000),
        }),
    };
  },
  encodeError: errorReply,
  errorEvent: (error) => sseEvent(JSON.parse(errorReply(error).body)),
};
