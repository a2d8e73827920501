import * as z from "zod";

const part = z.object({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  inlineData: z.object({ mimeType: z.string(), data: z.string() }).nullish(),
  fileData: z.object({ mimeType: z.string().nullish(), fileUri: z.string() }).nullish(),
  functionCall: z
    .object({
      id: z.string().nullish(),
      name: z.string(),
      args: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
  functionResponse: z
    .object({
      id: z.string().nullish(),
      name: z.string(),
      response: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
});

export type Part = z.output<typeof part>;

const content = z.object({ role: z.string().nullish(), parts: z.array(part).default([]) });

export type WireContent = z.output<typeof content>;

const schema = z.record(z.string(), z.unknown());

/** The fields of a generateContent request that the gateway reads. It ignores the others. */
export const geminiRequest = z.object({
  contents: z.array(content).min(1, "must have at least one content"),
  systemInstruction: content.nullish(),
  tools: z
    .array(
      z.object({
        functionDeclarations: z
          .array(
            z.object({
              name: z.string().min(1),
              description: z.string().nullish(),
              parameters: schema.nullish(),
              parametersJsonSchema: schema.nullish(),
            }),
          )
          .nullish(),
      }),
    )
    .nullish(),
  toolConfig: z
    .object({
      functionCallingConfig: z
        .object({
          mode: z.string().nullish(),
          allowedFunctionNames: z.array(z.string()).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  generationConfig: z
    .object({
      temperature: z.number().nullish(),
      topP: z.number().nullish(),
      maxOutputTokens: z.int().min(1).nullish(),
      candidateCount: z
        .literal(1, "the gateway supports one candidate only: send one request for each candidate")
        .nullish(),
      stopSequences: z.array(z.string()).nullish(),
      seed: z.int().nullish(),
      thinkingConfig: z
        .object({ thinkingLevel: z.string().nullish(), thinkingBudget: z.number().nullish() })
        .nullish()
        .catch(undefined),
      responseMimeType: z.string().nullish(),
      responseSchema: schema.nullish(),
      responseJsonSchema: schema.nullish(),
    })
    .nullish(),
});

/** Requests that count tokens may wrap the request. */
export const countRequest = z.union([
  z
    .object({ generateContentRequest: geminiRequest })
    .transform((body) => body.generateContentRequest),
  geminiRequest,
]);

export type GeminiRequest = z.output<typeof geminiRequest>;
