import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { expect, onTestFinished } from "vitest";
import * as z from "zod";

import { eventProblems, spanProblems } from "./conventions.ts";

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
const list = z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }));
/** The attributes as values, and with their types in OTLP. */
const withTypes = z.looseObject({}).transform((all) => ({ ...all, typed: all["attributes"] }));
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
  typed: list,
  status: z.object({ code: z.int().optional(), message: z.string().optional() }),
});
const record = z.object({
  traceId: z.string(),
  spanId: z.string(),
  eventName: z.string(),
  timeUnixNano: nanoseconds,
  attributes,
  typed: list,
});
const resource = z.object({ attributes });
const traces = z.object({
  resourceSpans: z.array(
    z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(withTypes.pipe(span)) })) }),
  ),
});
const logs = z.object({
  resourceLogs: z.array(
    z.object({
      resource,
      scopeLogs: z.array(z.object({ logRecords: z.array(withTypes.pipe(record)) })),
    }),
  ),
});

/** A collector that parses OTLP as JSON, and fails the test if data does not follow the conventions. */
export async function collector(status = 200) {
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
  onTestFinished(() => {
    server.close();
    expect([...spans.flatMap(spanProblems), ...records.flatMap(eventProblems)]).toEqual([]);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, spans, records, headers, services };
}
