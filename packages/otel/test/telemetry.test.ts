import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { callTools, defineEnvironment, evaluate, type Rollout } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { openTelemetry, telemetryFromVariables } from "@envs/otel";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";

const value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.object({ arrayValue: z.unknown() }).transform(({ arrayValue }) => arrayValue),
]);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .default([])
  .transform((list) => Object.fromEntries(list.map((each) => [each.key, each.value])));
const nanoseconds = z.string().regex(/^\d{19}$/);
const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.object({ code: z.int().optional(), message: z.string().optional() }),
});
const record = z.object({
  traceId: z.string(),
  spanId: z.string(),
  eventName: z.string(),
  timeUnixNano: nanoseconds,
  attributes,
});
const resource = z.object({ attributes });
const traces = z.object({
  resourceSpans: z.array(
    z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});
const logs = z.object({
  resourceLogs: z.array(
    z.object({ resource, scopeLogs: z.array(z.object({ logRecords: z.array(record) })) }),
  ),
});

/** A collector that parses OTLP as JSON. */
async function collector(status = 200) {
  const spans: z.output<typeof span>[] = [];
  const records: z.output<typeof record>[] = [];
  const headers: (string | undefined)[] = [];
  const services = new Set<unknown>();
  const server = createServer((request, response) => {
    void (async () => {
      headers.push(request.headers["x-key"] as string | undefined);
      const json: unknown = JSON.parse(await text(request));
      if (request.url === "/v1/traces")
        for (const {
          resource: { attributes: of },
          scopeSpans,
        } of traces.parse(json).resourceSpans) {
          services.add(of["service.name"]);
          spans.push(...scopeSpans.flatMap((scope) => scope.spans));
        }
      else
        for (const { scopeLogs } of logs.parse(json).resourceLogs)
          records.push(...scopeLogs.flatMap((scope) => scope.logRecords));
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, spans, records, headers, services };
}

const search = defineEnvironment({
  name: "search",
  dataset: () => [{ prompt: "When was Ada born?", id: "ada" }],
  tools: {
    find: {
      description: "Find a name",
      input: z.object({ query: z.string() }),
      execute: () => "Ada, born 1815",
    },
  },
  rubric: {
    answered: ({ reply }) => ({ score: reply === "1815", feedback: "The year is right." }),
  },
});

const model = scriptedModel(callTools([["find", { query: "Ada" }]]), {
  message: { role: "assistant", content: "1815" },
  finish: "stop",
  usage: { inputTokens: 90, outputTokens: 10 },
});

async function played(reply = model): Promise<readonly Rollout[]> {
  return (await evaluate(search(), { model: reply, rolloutsPerExample: 1 })).rollouts;
}

test("exports an episode, its calls of the model and of tools, and its scores", async () => {
  const { endpoint, spans, records, headers, services } = await collector();
  const telemetry = openTelemetry({
    endpoint: `${endpoint}/`,
    headers: { "x-key": "secret" },
    model: "gpt-x",
    provider: "openai",
    sampling: { temperature: 0.5 },
  });
  for (const rollout of await played()) telemetry.record(rollout);
  expect(await telemetry.close()).toEqual({ exported: 6, failed: 0, problem: undefined });

  expect(services).toEqual(new Set(["envs"]));
  expect(new Set(headers)).toEqual(new Set(["secret"]));
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "chat gpt-x",
    "chat gpt-x",
    "execute_tool find",
    "invoke_agent search",
  ]);
  const episode = spans.find(({ name }) => name === "invoke_agent search")!;
  expect(episode.parentSpanId ?? "").toBe("");
  expect(episode.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "search",
    "gen_ai.conversation.id": "ada/0",
    "envs.reward": 1,
    "envs.stop_reason": "end",
  });
  const children = spans.filter((each) => each !== episode);
  for (const child of children) {
    expect(child).toMatchObject({ traceId: episode.traceId, parentSpanId: episode.spanId });
    expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(
      BigInt(episode.startTimeUnixNano),
    );
    expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(episode.endTimeUnixNano));
  }
  expect(children.at(-1)!.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-x",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.usage.input_tokens": 90,
    "gen_ai.usage.output_tokens": 10,
  });
  expect(records.map((each) => [each.eventName, each.attributes])).toEqual([
    [
      "gen_ai.evaluation.result",
      { "gen_ai.evaluation.name": "reward", "gen_ai.evaluation.score.value": 1 },
    ],
    [
      "gen_ai.evaluation.result",
      { "gen_ai.evaluation.name": "answered", "gen_ai.evaluation.score.value": 1 },
    ],
  ]);
  expect(records.every(({ spanId }) => spanId === episode.spanId)).toBe(true);
  expect(JSON.stringify([spans, records])).not.toMatch(/Ada|The year/);
});

test("exports the calls of each judge as a span below the episode", async () => {
  const { endpoint, spans } = await collector();
  const judged = defineEnvironment({
    name: "judged",
    dataset: () => [{ prompt: "When was Ada born?" }],
    rubric: {
      right: {
        needs: ["judge"],
        score: async ({ prompt, judge }) =>
          Number((await judge!({ messages: prompt })).message.content),
      },
    },
  });
  const judge = Object.assign(
    scriptedModel({
      message: { role: "assistant", content: "1" },
      finish: "stop",
      usage: { inputTokens: 40, outputTokens: 1, cacheReadTokens: 30 },
    }),
    { id: "strict" },
  );
  const telemetry = openTelemetry({ endpoint, model: "gpt-x", provider: "openai" });
  const options = { model: scriptedModel("1815"), judge, rolloutsPerExample: 1 };
  for (const rollout of (await evaluate(judged(), options)).rollouts) telemetry.record(rollout);
  await telemetry.close();
  const episode = spans.find(({ name }) => name === "invoke_agent judged")!;
  const span = spans.find(({ name }) => name === "chat strict")!;
  expect(span).toMatchObject({ traceId: episode.traceId, parentSpanId: episode.spanId, kind: 3 });
  expect(span.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "strict",
    "gen_ai.usage.input_tokens": 40,
    "gen_ai.usage.output_tokens": 1,
    "gen_ai.usage.cache_read.input_tokens": 30,
    "envs.judge.calls": 1,
    "envs.judge.cached": 0,
  });
});

test("exports messages, arguments and explanations if the caller asks for them", async () => {
  const { endpoint, spans, records } = await collector();
  const telemetry = openTelemetry({ endpoint, model: "gpt-x", captureContent: true });
  for (const rollout of await played()) telemetry.record(rollout);
  await telemetry.close();
  const tool = spans.find(({ name }) => name === "execute_tool find")!;
  expect(tool.attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"query":"Ada"}',
    "gen_ai.tool.call.result": "Ada, born 1815",
  });
  expect(records[1]!.attributes["gen_ai.evaluation.explanation"]).toBe("The year is right.");
  const chat = spans.find(({ name }) => name === "chat gpt-x");
  expect(chat!.attributes["gen_ai.input.messages"]).toContain("When was Ada born?");
});

test("marks a failed rollout with its code, and exports no score of it", async () => {
  const { endpoint, spans, records } = await collector();
  const telemetry = openTelemetry({ endpoint, model: "gpt-x" });
  for (const rollout of await played(scriptedModel(new Error("busy")))) telemetry.record(rollout);
  await telemetry.close();
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    attributes: { "error.type": "model" },
    status: { code: 2, message: "the model: busy" },
  });
  expect(records).toEqual([]);
});

test("reports a collector that rejects the data, and does not throw", async () => {
  const { endpoint } = await collector(400);
  const telemetry = openTelemetry({ endpoint, model: "gpt-x" });
  for (const rollout of await played()) telemetry.record(rollout);
  const report = await telemetry.close();
  expect(report).toMatchObject({ exported: 0, failed: 6 });
  expect(report.problem).toBeDefined();
});

test("is off without an endpoint, and reads OpenTelemetry's own variables", () => {
  expect(telemetryFromVariables({})).toBeUndefined();
  const endpoint = "http://localhost:4318";
  expect(
    telemetryFromVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" }),
  ).toBeUndefined();
  expect(
    telemetryFromVariables({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-team = evals",
      OTEL_SERVICE_NAME: "nightly",
    }),
  ).toEqual({
    endpoint,
    headers: { authorization: "Bearer abc", "x-team": "evals" },
    serviceName: "nightly",
    captureContent: false,
  });
  expect(() => openTelemetry({ endpoint: "localhost:4318", model: "gpt-x" })).toThrow(
    'The OTLP endpoint is "localhost:4318". It must be a URL such as http://localhost:4318.',
  );
});
