import type { Wire } from "@envs/models";

import { readContent } from "./decode-reply.ts";
import { geminiBody } from "./encode-request.ts";
import { ContentJoiner } from "./joiner.ts";

/** Google's generateContent, for servers that speak it. */
export const geminiWire: Wire = {
  dialect: "gemini",
  server: {
    api: "Gemini API",
    addressHint: "that the base URL is that of Google's SDK, without /models",
    baseURLVariable: "GOOGLE_GEMINI_BASE_URL",
    apiKeyVariable: "GEMINI_API_KEY",
    defaultURL: "https://generativelanguage.googleapis.com",
    versionedPath: (path) => (/\/v1\w*$/.test(path) ? path : `${path}/v1beta`),
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
  },
  path: (name, { isStream }) =>
    `/models/${name}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (_, request, options) => ({ ...geminiBody(request, options) }),
  nestedFields: ["generationConfig", "toolConfig"],
  clientFields: ["contents", "systemInstruction", "tools", "toolConfig"],
  streamFields: () => ({}),
  read: readContent,
  join: () => new ContentJoiner(),
};
