import type { Wire } from "@envs/models";

import { readMessage } from "./decode-reply.ts";
import { messagesBody } from "./encode-request.ts";
import { MessageJoiner } from "./joiner.ts";

/** Anthropic's Messages, for servers that speak them. */
export const messagesWire: Wire = {
  dialect: "messages",
  server: {
    api: "Messages API",
    addressHint: "that the base URL is that of Anthropic's SDK, without /messages",
    baseURLVariable: "ANTHROPIC_BASE_URL",
    apiKeyVariable: "ANTHROPIC_API_KEY",
    defaultURL: "https://api.anthropic.com",
    versionedPath: (path) => (path.endsWith("/v1") ? path : `${path}/v1`),
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
  },
  path: () => "/messages",
  body: (...args) => ({ ...messagesBody(...args) }),
  nestedFields: ["output_config"],
  clientFields: ["messages", "system", "tools", "tool_choice"],
  streamFields: () => ({ stream: true }),
  read: readMessage,
  join: () => new MessageJoiner(),
};
