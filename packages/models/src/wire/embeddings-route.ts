import { assistantMessage, textOf } from "@envs/core";
import * as z from "zod";

import type { OpenAIOptions } from "./chat-request.ts";
import { parseReply } from "./parse-reply.ts";
import type { OtherRoute } from "./wire.ts";

/** The fields of a reply that this package reads. A vector is a list of numbers, or their bytes in base64. */
const embeddingList = z.object({
  data: z.array(z.object({ embedding: z.union([z.string(), z.array(z.number())]) })).min(1),
  usage: z.object({ prompt_tokens: z.number().nonnegative() }).nullish().catch(undefined),
  error: z.unknown().optional(),
});

/** OpenAI's embeddings. The text of each message becomes a vector, and the reply is the list of vectors as JSON. */
export const embeddingsRoute: OtherRoute<OpenAIOptions> = {
  dialect: "embeddings",
  path: () => "/embeddings",
  clientFields: ["input"],
  body: (model, { messages }) => ({ model, input: messages.map(({ content }) => textOf(content)) }),
  read(reply, { messages }, context) {
    const noun = "a list of embeddings";
    const { data, usage } = parseReply(embeddingList, reply, { ...context, noun });
    const length = messages.reduce((sum, { content }) => sum + content.length, 0);
    return {
      message: assistantMessage(JSON.stringify(data.map(({ embedding }) => embedding))),
      finish: "stop",
      usage: {
        inputTokens: usage?.prompt_tokens ?? Math.ceil(length / 4),
        outputTokens: 0,
        ...(!usage && { isEstimated: true }),
      },
    };
  },
};
