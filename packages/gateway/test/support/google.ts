import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from "@google/genai";

import { type SdkClient, type Step, toolSchema } from "./sdk-client.ts";

export const google: SdkClient = {
  name: "@google/genai",
  ends: { stop: "STOP", length: "MAX_TOKENS", tools: "STOP" },
  hasStop: true,
  async ask({ origin, apiKey }, question, { stream }) {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });
    const { system, steps, tools, mustCall, schema, temperature, stop, maxTokens, signal } =
      question;
    const parameters = {
      model: "any",
      contents: steps.map(contentOf),
      config: {
        ...(system === undefined ? {} : { systemInstruction: system }),
        ...(tools && {
          tools: [
            {
              functionDeclarations: tools.map((tool) => ({
                ...tool,
                parametersJsonSchema: toolSchema,
              })),
            },
          ],
        }),
        ...(mustCall && {
          toolConfig: {
            functionCallingConfig: {
              mode: FunctionCallingConfigMode.ANY,
              allowedFunctionNames: [mustCall],
            },
          },
        }),
        ...(schema && { responseMimeType: "application/json", responseJsonSchema: schema }),
        ...(temperature !== undefined && { temperature }),
        ...(stop && { stopSequences: [...stop] }),
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
        ...(signal && { abortSignal: signal }),
      },
    };
    const chunks: GenerateContentResponse[] = [];
    if (stream)
      for await (const chunk of await client.models.generateContentStream(parameters))
        chunks.push(chunk);
    else chunks.push(await client.models.generateContent(parameters));
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    const last = chunks.at(-1);
    const textOf = (isThought: boolean): string =>
      parts
        .map(({ text, thought = false }) => (thought === isThought ? (text ?? "") : ""))
        .join("");
    return {
      text: textOf(false),
      reasoning: textOf(true),
      calls: parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: call.id ?? "", name: call.name ?? "", input: call.args ?? {} }] : [],
      ),
      end: last?.candidates?.[0]?.finishReason,
      inputTokens: last?.usageMetadata?.promptTokenCount,
      outputTokens: last?.usageMetadata?.candidatesTokenCount,
      cachedTokens: last?.usageMetadata?.cachedContentTokenCount,
    };
  },
};

function contentOf(step: Step): Content {
  return { role: "reply" in step ? "model" : "user", parts: partsOf(step) };
}

function partsOf(step: Step): Part[] {
  if ("user" in step)
    return [
      { text: step.user },
      ...(step.image === undefined
        ? []
        : [{ inlineData: { mimeType: "image/png", data: step.image } }]),
    ];
  if ("result" in step) {
    const { id, name } = step.of;
    return [{ functionResponse: { id, name, response: { output: step.result } } }];
  }
  return [
    ...(step.reasoning === undefined ? [] : [{ text: step.reasoning, thought: true }]),
    ...(step.reply === "" ? [] : [{ text: step.reply }]),
    ...(step.calls ?? []).map(({ id, name, input }) => ({
      functionCall: { id, name, args: { ...input } },
    })),
  ];
}
