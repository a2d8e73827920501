/**
 * What OpenTelemetry's conventions for generative AI demand of the spans and events that are exported here: facts of `spans.yaml`,
 * `events.yaml`, `registry.yaml` and the JSON schemas of messages in open-telemetry/semantic-conventions-genai, at 002c8a6.
 */
import * as z from "zod";

type Type = "string" | "int" | "double" | "string[]" | "any";

const types: Readonly<Record<string, Type>> = {
  "error.type": "string",
  "gen_ai.agent.name": "string",
  "gen_ai.conversation.id": "string",
  "gen_ai.evaluation.explanation": "string",
  "gen_ai.evaluation.name": "string",
  "gen_ai.evaluation.score.value": "double",
  "gen_ai.input.messages": "any",
  "gen_ai.operation.name": "string",
  "gen_ai.output.messages": "any",
  "gen_ai.provider.name": "string",
  "gen_ai.request.max_tokens": "int",
  "gen_ai.request.model": "string",
  "gen_ai.request.stop_sequences": "string[]",
  "gen_ai.request.temperature": "double",
  "gen_ai.request.top_p": "double",
  "gen_ai.response.finish_reasons": "string[]",
  "gen_ai.response.id": "string",
  "gen_ai.response.model": "string",
  "gen_ai.tool.call.arguments": "any",
  "gen_ai.tool.call.id": "string",
  "gen_ai.tool.call.result": "any",
  "gen_ai.tool.name": "string",
  "gen_ai.tool.type": "string",
  "gen_ai.usage.cache_creation.input_tokens": "int",
  "gen_ai.usage.cache_read.input_tokens": "int",
  "gen_ai.usage.input_tokens": "int",
  "gen_ai.usage.output_tokens": "int",
};

interface Rule {
  /** Numbers of OTLP: 1 is internal, 3 client. */
  readonly kinds: readonly number[];
  /** The attribute after the operation in the name of the span. */
  readonly named: string;
  readonly required: readonly string[];
  /** Prefixes of the attributes that a span may have besides. */
  readonly optional: readonly string[];
}

const model = [
  "gen_ai.request.",
  "gen_ai.response.finish_reasons",
  "gen_ai.usage.",
  "gen_ai.conversation.id",
];
const content = ["gen_ai.input.messages", "gen_ai.output.messages"];

const rules: Readonly<Record<string, Rule>> = {
  chat: {
    kinds: [1, 3],
    named: "gen_ai.request.model",
    required: ["gen_ai.provider.name", "gen_ai.request.model"],
    optional: [...model, ...content, "gen_ai.response."],
  },
  embeddings: {
    kinds: [3],
    named: "gen_ai.request.model",
    required: ["gen_ai.provider.name", "gen_ai.request.model"],
    optional: ["gen_ai.conversation.id", "gen_ai.response.", "gen_ai.usage.input_tokens"],
  },
  invoke_agent: {
    kinds: [1],
    named: "gen_ai.agent.name",
    required: ["gen_ai.provider.name"],
    optional: [...model, ...content, "gen_ai.agent."],
  },
  execute_tool: {
    kinds: [1],
    named: "gen_ai.tool.name",
    required: ["gen_ai.tool.name"],
    optional: ["gen_ai.tool."],
  },
};

interface Attributed {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The attributes with their types in OTLP. */
  readonly typed: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
}

interface SpanData extends Attributed {
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number | undefined };
}

/** The rules that a span breaks. */
export function spanProblems(span: SpanData): readonly string[] {
  const { name, kind, attributes, status } = span;
  const operation = String(attributes["gen_ai.operation.name"]);
  const rule = rules[operation];
  if (rule === undefined) return [`${name}: the operation ${operation} is unknown`];
  const expected = `${operation} ${String(attributes[rule.named])}`;
  const optional = [...rule.optional, ...rule.required, "gen_ai.operation.name", "error.type"];
  const required = [...rule.required, ...(status.code === 2 ? ["error.type"] : [])];
  return [
    ...(name === expected ? [] : [`${name}: the name should be ${expected}`]),
    ...(rule.kinds.includes(kind) ? [] : [`${name}: the kind is ${kind}`]),
    ...attributeProblems(name, span, { required, optional }),
    ...messageProblems(name, "gen_ai.input.messages", span),
    ...messageProblems(name, "gen_ai.output.messages", span),
  ];
}

/** The rules that an event breaks. */
export function eventProblems(
  event: Attributed & { readonly eventName: string },
): readonly string[] {
  const { eventName } = event;
  if (eventName !== "gen_ai.evaluation.result") return [`${eventName} is unknown`];
  const required = ["gen_ai.evaluation.name"];
  const optional = ["gen_ai.evaluation.", "gen_ai.response.id", "error.type"];
  return attributeProblems(eventName, event, { required, optional });
}

function attributeProblems(
  name: string,
  { attributes, typed }: Attributed,
  {
    required,
    optional,
  }: { readonly required: readonly string[]; readonly optional: readonly string[] },
): readonly string[] {
  const missing = required.filter((key) => attributes[key] === undefined);
  const unknown = typed.filter(
    ({ key }) => !key.startsWith("envs.") && !optional.some((prefix) => key.startsWith(prefix)),
  );
  const mistyped = typed.filter(
    ({ key, value }) => !key.startsWith("envs.") && !hasType(types[key], value),
  );
  return [
    ...missing.map((key) => `${name}: ${key} is missing`),
    ...unknown.map(({ key }) => `${name}: ${key} does not belong to it`),
    ...mistyped.map(({ key, value }) => `${name}: ${key} is ${JSON.stringify(value)}`),
  ];
}

/** JavaScript has no type for a double that is a whole number. */
function hasType(type: Type | undefined, value: Readonly<Record<string, unknown>>): boolean {
  const [kind] = Object.keys(value);
  switch (type) {
    case undefined:
      return false;
    case "any":
      return true;
    case "string":
      return kind === "stringValue";
    case "int":
      return kind === "intValue";
    case "double":
      return kind === "doubleValue" || kind === "intValue";
    case "string[]":
      return strings.safeParse(value["arrayValue"]).success;
  }
}

const strings = z.object({ values: z.array(z.object({ stringValue: z.string() })) });

const modality = z.enum(["image", "video", "audio", "document"]);
const media = { modality, mime_type: z.string().nullish() };
const id = z.string().nullish();
const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), content: z.string() }),
  z.strictObject({ type: z.literal("reasoning"), content: z.string() }),
  z.strictObject({ type: z.literal("tool_call"), id, name: z.string(), arguments: z.unknown() }),
  z.strictObject({ type: z.literal("tool_call_response"), id, response: z.json() }),
  z.strictObject({ type: z.literal("blob"), ...media, content: z.base64() }),
  z.strictObject({ type: z.literal("uri"), ...media, uri: z.url() }),
]);
const finish = z.enum(["stop", "length", "content_filter", "tool_call", "compaction", "error"]);
const message = { role: z.enum(["system", "user", "assistant", "tool"]), parts: z.array(part) };
const schemas = {
  "gen_ai.input.messages": z.array(z.strictObject(message)),
  // The finish reason is deprecated there, and required by earlier versions.
  "gen_ai.output.messages": z.array(z.strictObject({ ...message, finish_reason: finish })),
};

function messageProblems(
  name: string,
  key: keyof typeof schemas,
  { attributes }: Attributed,
): readonly string[] {
  const json = attributes[key];
  if (typeof json !== "string") return json === undefined ? [] : [`${name}: ${key} is not JSON`];
  const { error } = schemas[key].safeParse(JSON.parse(json));
  return error === undefined ? [] : [`${name}: ${key}: ${z.prettifyError(error)}`];
}
