import type { ModelResponse } from "@envs/core";
import type { FinishReason } from "@envs/core/engine";
import { pieces } from "@envs/models/server";
import type { GenerateContentResponse, Part } from "@google/genai";

import type { ReplyContext } from "../dialect.ts";
import { toolInput } from "../tool-input.ts";

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
};

/** A response on the wire. The official client converts it to its class, whose enums are strings here. */
type WireResponse = Pick<
  GenerateContentResponse,
  "usageMetadata" | "modelVersion" | "responseId"
> & {
  readonly candidates: readonly {
    readonly index: number;
    readonly content: { readonly role: "model"; readonly parts: readonly Part[] };
    readonly finishReason?: string;
  }[];
};

/** Writes a model's response in the format of Gemini's generateContent. */
export function contentObject(
  response: ModelResponse,
  model: string,
  context: ReplyContext,
): WireResponse {
  return chunkOf(partsOf(response), response, { model, context, isLast: true });
}

/** The chunks of a stream: each has further parts, and the last one how the reply ended. */
export function contentChunks(
  response: ModelResponse,
  model: string,
  context: ReplyContext,
): readonly WireResponse[] {
  const parts = partsOf(response).flatMap((part): readonly Part[] =>
    part.text === undefined
      ? [part]
      : pieces(part.text).map((text) => Object.assign({}, part, { text })),
  );
  const last = parts.at(-1) ?? { text: "" };
  return [...parts.slice(0, -1), last].map((part, index) =>
    chunkOf([part], response, { model, context, isLast: index >= parts.length - 1 }),
  );
}

interface ChunkContext {
  readonly model: string;
  readonly context: ReplyContext;
  readonly isLast: boolean;
}

function chunkOf(
  parts: readonly Part[],
  { finish, usage }: ModelResponse,
  { model, context, isLast }: ChunkContext,
): WireResponse {
  const content = { role: "model", parts } as const;
  return {
    candidates: [{ index: 0, content, ...(isLast ? { finishReason: finishReasons[finish] } : {}) }],
    ...(isLast && usage !== undefined ? { usageMetadata: usageOf(usage) } : {}),
    modelVersion: model,
    responseId: context.id,
  };
}

function partsOf({ message }: ModelResponse): readonly Part[] {
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(content === "" ? [] : [{ text: content }]),
    ...calls.map(({ id, function: { name, arguments: input } }) => ({
      functionCall: { id, name, args: toolInput(input) },
    })),
  ];
}

function usageOf(
  usage: NonNullable<ModelResponse["usage"]>,
): NonNullable<GenerateContentResponse["usageMetadata"]> {
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cachedContentTokenCount: cacheReadTokens }),
  };
}
