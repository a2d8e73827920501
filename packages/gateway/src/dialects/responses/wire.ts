import type { Wire } from "@envs/models";

import { readResponse } from "./decode-reply.ts";
import { responsesBody } from "./encode-request.ts";
import { ResponseJoiner } from "./joiner.ts";

/** OpenAI's Responses, for servers that speak them. */
export const responsesWire: Wire = {
  dialect: "responses",
  server: {
    api: "Responses API",
    addressHint: "that the base URL ends in /v1",
    baseURLVariable: "OPENAI_BASE_URL",
    apiKeyVariable: "OPENAI_API_KEY",
    defaultURL: "https://api.openai.com/v1",
    headers: (apiKey, variable) => ({
      authorization: `Bearer ${apiKey}`,
      "openai-organization": variable("OPENAI_ORG_ID"),
      "openai-project": variable("OPENAI_PROJECT_ID"),
    }),
  },
  path: () => "/responses",
  body: (...args) => ({ ...responsesBody(...args) }),
  nestedFields: ["text", "reasoning"],
  clientFields: ["input", "instructions", "tools", "tool_choice", "store"],
  streamFields: () => ({ stream: true }),
  read: readResponse,
  join: () => new ResponseJoiner(),
};
