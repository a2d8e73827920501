import type {
  AssistantMessage,
  ContentPart,
  Message,
  ModelRequest,
  ModelResponse,
} from "@envs/core";
import type { ToolChoice, Usage } from "@envs/core/engine";
import type { Wire } from "@envs/models";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Dialect } from "../src/dialects/dialect.ts";
import { gemini } from "../src/dialects/gemini/index.ts";
import { geminiWire } from "../src/dialects/gemini/wire.ts";
import { messages } from "../src/dialects/messages/index.ts";
import { messagesWire } from "../src/dialects/messages/wire.ts";
import { responses } from "../src/dialects/responses/index.ts";
import { responsesWire } from "../src/dialects/responses/wire.ts";

interface Codec {
  readonly dialect: Dialect;
  readonly wire: Wire;
  readonly hasStop: boolean;
  /** Whether tool results can contain images. */
  readonly hasToolMedia: boolean;
  readonly hasFilenames: boolean;
  /** Whether the name of a schema reaches the server. */
  readonly hasFormatName: boolean;
  readonly hasCacheWrites: boolean;
}

const codecs: readonly Codec[] = [
  {
    dialect: responses,
    wire: responsesWire,
    hasStop: false,
    hasToolMedia: true,
    hasFilenames: true,
    hasFormatName: true,
    hasCacheWrites: true,
  },
  {
    dialect: messages,
    wire: messagesWire,
    hasStop: true,
    hasToolMedia: true,
    hasFilenames: true,
    hasFormatName: false,
    hasCacheWrites: true,
  },
  {
    dialect: gemini,
    wire: geminiWire,
    hasStop: true,
    hasToolMedia: false,
    hasFilenames: false,
    hasFormatName: false,
    hasCacheWrites: false,
  },
];

const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .map((value) => `a${value}`);
const image: ContentPart = {
  type: "image_url",
  image_url: { url: `data:image/png;base64,${btoa("\u{89}PNG\r\n\u{1A}\n....")}` },
};
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { maxKeys: 3 });

function requests(codec: Codec): fc.Arbitrary<ModelRequest> {
  const file: ContentPart = {
    type: "file",
    file: {
      file_data: `data:application/pdf;base64,${btoa("%PDF-1.4")}`,
      filename: codec.hasFilenames ? "report.pdf" : "file",
    },
  };
  const parts = fc
    .tuple(text, fc.constantFrom(image, file))
    .map(([words, media]) => [{ type: "text" as const, text: words }, media]);
  const content = fc.oneof(text, parts);
  const step = fc
    .record({
      user: content,
      reply: fc.option(text, { nil: "" }),
      reasoning: fc.option(text, { nil: undefined }),
      inputs: fc.array(input, { maxLength: 3 }),
      result: codec.hasToolMedia
        ? fc.oneof(
            text,
            parts.map(([words]) => [words!, image]),
          )
        : text,
    })
    .map((drawn) => drawn);
  return fc
    .record({
      system: fc.option(text, { nil: undefined }),
      steps: fc.array(step, { minLength: 1, maxLength: 4 }),
      toolChoice: fc.constantFrom<ToolChoice | undefined>(undefined, "none", "required", {
        name: "look",
      }),
      format: fc.constantFrom(undefined, {
        type: "schema" as const,
        name: codec.hasFormatName ? "city" : "reply",
        schema: { type: "object", properties: { city: { type: "string" } } },
      }),
      temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
      topP: fc.option(fc.constantFrom(0.5, 1), { nil: undefined }),
      maxTokens: fc.nat({ max: 4000 }).map((tokens) => tokens + 1),
      stop: fc.option(fc.array(text, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    })
    .map(({ system, steps, toolChoice, format, stop, ...sampling }) => ({
      messages: [
        ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
        ...steps.flatMap((one, index) => stepMessages(one, index)),
      ],
      tools: [
        {
          name: "look",
          description: "Looks.",
          parameters: { type: "object", properties: { at: { type: "string" } } },
        },
      ],
      toolChoice,
      format,
      sampling: { ...sampling, stop: codec.hasStop ? stop : undefined },
      signal: new AbortController().signal,
    }));
}

interface Step {
  readonly user: string | ContentPart[];
  readonly reply: string;
  readonly reasoning: string | undefined;
  readonly inputs: readonly Record<string, unknown>[];
  readonly result: string | ContentPart[];
}

function stepMessages({ user, reply, reasoning, inputs, result }: Step, index: number): Message[] {
  const calls = inputs.map((value, position) => ({
    id: `call_${index}_${position}`,
    type: "function" as const,
    function: { name: "look", arguments: JSON.stringify(value) },
  }));
  return [
    { role: "user", content: user },
    assistantOf({ reply: reply === "" && calls.length === 0 ? "Yes." : reply, reasoning, calls }),
    ...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: result })),
  ];
}

function assistantOf({
  reply,
  reasoning,
  calls,
}: {
  readonly reply: string;
  readonly reasoning: string | undefined;
  readonly calls: AssistantMessage["tool_calls"];
}): AssistantMessage {
  return {
    role: "assistant",
    content: reply,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls && calls.length > 0 && { tool_calls: calls }),
  };
}

function replies({ hasCacheWrites }: Codec): fc.Arbitrary<ModelResponse> {
  const usage: fc.Arbitrary<Usage> = fc
    .tuple(fc.nat(1000), fc.nat(1000), fc.nat(50), fc.nat(50))
    .map(([inputTokens, outputTokens, read, write]) => ({
      inputTokens: inputTokens + read + write,
      outputTokens,
      ...(read > 0 && { cacheReadTokens: read }),
      ...(write > 0 && hasCacheWrites && { cacheWriteTokens: write }),
    }));
  return fc
    .record({
      reply: fc.option(text, { nil: "" }),
      reasoning: fc.option(text, { nil: undefined }),
      inputs: fc.array(input, { maxLength: 3 }),
      end: fc.constantFrom("stop", "length", "content_filter"),
      usage,
    })
    .map(({ reply, reasoning, inputs, end, usage: counts }) => {
      const calls = inputs.map((value, position) => ({
        id: `new_${position}`,
        type: "function" as const,
        function: { name: "look", arguments: JSON.stringify(value) },
      }));
      const finish = calls.length > 0 && end === "stop" ? "tool_calls" : (end as "stop");
      return { message: assistantOf({ reply, reasoning, calls }), finish, usage: counts };
    });
}

/** Decodes a request as the gateway receives it. */
function decode({ dialect, wire }: Codec, request: ModelRequest, isStream = false) {
  const body = wire.body("any", request, { keepReasoning: true });
  const sent = isStream ? { ...body, ...wire.streamFields(body) } : body;
  const [path = "", query] = wire.path("any", { isStream }).split("?", 2);
  return dialect.decode({
    path,
    query: new URLSearchParams(query),
    headers: {},
    json: JSON.parse(JSON.stringify(sent)),
    memory: new Map(),
  });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const context = { name: "any", server: "the server" };

describe.each(codecs)("the codec of $dialect.name", (codec) => {
  const { wire } = codec;
  const hello: ModelRequest = {
    messages: [{ role: "user", content: "Hello" }],
    sampling: { maxTokens: 100 },
    signal: new AbortController().signal,
  };

  test("decodes the requests that it encodes", () => {
    fc.assert(
      fc.property(requests(codec), (request) => {
        const { input: decoded } = decode(codec, request);
        const { signal: _, ...expected } = request;
        expect(plain(decoded)).toEqual(plain(expected));
      }),
    );
  });

  test("decodes the replies that it encodes", () => {
    fc.assert(
      fc.property(replies(codec), (reply) => {
        const encoded = decode(codec, hello).encode(reply, { id: "1", time: 0 });
        expect(wire.read(JSON.parse(encoded.body), hello, context)).toEqual(reply);
      }),
    );
  });

  test("joins the streams that it encodes", () => {
    fc.assert(
      fc.property(replies(codec), (reply) => {
        const encoded = decode(codec, hello, true).encode(reply, { id: "1", time: 0 });
        const joiner = wire.join({});
        const lines = encoded.body.split("\n").filter((line) => line.startsWith("data: "));
        const places = lines.map((line) => joiner.add(JSON.parse(line.slice("data: ".length))));
        expect(places.at(-1)).toBe("end");
        expect(wire.read(joiner.whole(), hello, context)).toEqual(reply);
      }),
    );
  });

  test("reports errors of the server as such", () => {
    const error = { error: { message: "Slow down.", type: "rate_limit_error", code: 429 } };
    expect(() => wire.read(error, hello, context)).toThrow("Slow down.");
    expect(() => wire.read({ hello: 1 }, hello, context)).toThrow(
      "The response of the server is not",
    );
    expect(wire.join({}).add({ type: "error", ...error })).toBe("error");
  });
});
