import type { Message, ModelResponse } from "@envs/core";
import { badRequest, HttpError, type HttpReply, json } from "@envs/models/server";
import * as z from "zod";

import { chat } from "./chat.ts";
import type { Dialect } from "./dialect.ts";

const tokens = z.array(z.int()).min(1);

const embeddingsRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), tokens, z.array(z.union([z.string(), tokens])).min(1)]),
});

const vectors = z.array(z.union([z.string(), z.array(z.number())]));

/** OpenAI's embeddings. In the record, each text is a message, and the reply is the list of vectors as JSON. */
export const embeddings: Dialect = {
  ...chat,
  name: "embeddings",
  match: (path) => (path === "/embeddings" ? "call" : undefined),
  decode({ json: body }) {
    const parsed = embeddingsRequest.safeParse(body);
    if (!parsed.success) throw badRequest(parsed.error);
    const { model, input } = parsed.data;
    const isList = Array.isArray(input) && typeof input[0] !== "number";
    const messages = (isList ? input : [input]).map((each): Message => ({
      role: "user",
      content: typeof each === "string" ? each : JSON.stringify(each),
    }));
    return {
      model,
      isStream: false,
      input: { messages, sampling: {} },
      encode: (response) => listReply(response, model),
    };
  },
};

/** Writes the reply of a model that did not relay the call, such as one with recorded replies. */
function listReply({ message: { content }, usage }: ModelResponse, model: string): HttpReply {
  const { inputTokens = 0 } = usage ?? {};
  return json(200, {
    object: "list",
    data: readVectors(content, model).map((embedding, index) => ({
      object: "embedding",
      index,
      embedding,
    })),
    model,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  });
}

function readVectors(content: string, model: string): z.output<typeof vectors> {
  try {
    return vectors.parse(JSON.parse(content));
  } catch (error) {
    throw new HttpError(
      400,
      `The model ${model} replied with text instead of embeddings. Use an embedding model on a server with OpenAI's API.`,
      { cause: error },
    );
  }
}
