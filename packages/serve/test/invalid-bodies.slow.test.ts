import { describe, expect, test as base } from "vitest";

import { serve } from "../src/index.ts";
import { stage } from "./fixtures/stage.ts";
import { expectNoLeak } from "./support/leaks.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const keys = Array.from({ length: 10_001 }, (_, index) => `"${index}":0`).join();
const ones = `[${"1,".repeat(2_000_000)}1]`;
const everything = (value: string): string =>
  `{"split":"train","index":0,"name":"respond","text":"a","input":{"text":${value}},"action":{"text":${value}},` +
  `"response":{"output":${value}},"verifier_metadata":{"index":0,"x":${value}},"verify_responses":${value},` +
  `"jsonrpc":"2.0","method":"tools/call","params":{"name":"respond","arguments":{"text":${value}}}}`;

const excessive: Readonly<Record<string, string>> = {
  "a deep array": deep(100_000),
  "deep fields": everything(deep(100_000)),
  "unclosed arrays": "[".repeat(1_000_000),
  "millions of values": `{"response":{"output":${ones}}}`,
  "many keys": `{${keys}}`,
  "many keys in fields": everything(`{${keys}}`),
};
const invalid: Readonly<Record<string, string | Uint8Array>> = {
  "no characters": "",
  null: "null",
  "a number": "5",
  "a string": '"x"',
  "an array": "[]",
  "fields that are numbers": everything("5"),
  "fields that are arrays of numbers": everything("[5, 5]"),
  "a truncated object": '{"split":',
  "prototype properties": '{"__proto__":{"split":"train"},"constructor":{"prototype":{}}}',
  "invalid UTF-8": new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0xff, 0x7d]),
  NUL: '{"split":"\\u0000","index":0}',
  "an infinite number": '{"split":"train","index":1e999}',
};

const test = base
  .extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
    const environment = stage({ opened: Promise.resolve() });
    const server = await serve([environment], { port: 0, sessions: 100 });
    onCleanup(() => server.close());
    return server;
  })
  .extend("post", { scope: "file" }, ({ server }) => {
    return async (
      path: string,
      body: string | Uint8Array,
      headers: Record<string, string> = {},
    ): Promise<{ status: number; text: string }> => {
      const response = await fetch(server.url + path, {
        method: "POST",
        body: body as BodyInit,
        headers: { "content-type": "application/json", "x-session-id": "a session", ...headers },
      });
      return { status: response.status, text: await response.text() };
    };
  })
  .extend("paths", { scope: "file" }, async ({ server }) => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, { readonly post?: unknown }>>;
    };
    const paths = Object.keys(document.paths)
      .filter((path) => document.paths[path]!.post !== undefined)
      .map((path) => path.replace("{environment}", "stage").replace("{tool}", "respond"));
    return [...paths, "/web/key", "/nowhere", "/STAGE/call"];
  })
  .extend("expectShortResponses", { scope: "file" }, ({ server, post, paths }) => {
    return async (
      body: string | Uint8Array,
      headers: Record<string, string> = {},
    ): Promise<void> => {
      for (const path of paths) {
        const { status, text } = await post(path, body, headers);
        if (status >= 500 || text.length > 20_000) throw new Error(`${path}: ${status} ${text}`);
        expectNoLeak(text);
      }
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    };
  });

describe("every route sends a short response without a server error for", () => {
  test.for(Object.entries(excessive))("a body of %s", ([, body], { expectShortResponses }) =>
    expectShortResponses(body),
  );
  test.for(Object.entries(invalid))("a body of %s", ([, body], { expectShortResponses }) =>
    expectShortResponses(body),
  );
  test.for([
    "text/plain",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "unknown",
  ])("a body of type %s", (type, { expectShortResponses }) =>
    expectShortResponses('{"split":"train","index":0}', { "content-type": type }),
  );

  test("invalid ids, cookies and keys in headers", ({ expectShortResponses }) =>
    expectShortResponses('{"split":"train","index":0}', {
      "x-session-id": "x".repeat(8000),
      cookie: `session=${"=".repeat(2000)}; envs_key=${"%".repeat(2000)};;;`,
      "x-deployment": "/".repeat(2000),
      authorization: "Bearer",
    }));
});

test("rejects a body above 100 MiB before it is read", async ({ server }) => {
  const response = await fetch(`${server.url}/stage/reset`, {
    method: "POST",
    body: Buffer.alloc(100 * 2 ** 20 + 1, " "),
    headers: { "content-type": "application/json" },
  }).catch((error: unknown) => error as Error);
  // The server closes at once, so a client that is still sending may not see the response.
  if (response instanceof Response) expect(response.status).toBe(413);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

test("truncates unexpected values in error messages", async ({ server, post }) => {
  const long = "x".repeat(1_000_000);
  const { status, text } = await post("/stage/num_tasks", JSON.stringify({ split: long }));
  expect([status, text.length < 1000]).toEqual([400, true]);
  const fields = Object.fromEntries(
    Array.from({ length: 9000 }, (_, at) => [`${long.slice(0, 90)}${at}`, 0]),
  );
  const unknownFields = await post("/stage/reset", JSON.stringify(fields));
  expect([unknownFields.status, unknownFields.text.length < 1000]).toEqual([422, true]);
  await using socket = await OpenenvSocket.open(server.url, "/stage/ws");
  for (const frame of [
    { type: long },
    { type: "reset", data: fields },
    { type: "reset", data: { split: long } },
  ])
    expect(JSON.stringify(await socket.request(frame)).length).toBeLessThan(20_000);
});

test("aggregates the metrics of a hundred thousand rollouts", async ({ post }) => {
  const results = Array.from({ length: 100_000 }, () => ({ _ng_task_index: 1, reward: 0.5 }));
  const { status, text } = await post("/nemo/stage/aggregate_metrics", JSON.stringify(results));
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { agent_metrics: { "mean/reward": 0.5 }, group_level_metrics: [{ _ng_task_index: 1 }] },
  ]);
});

describe("a socket sends one short error frame for", () => {
  test.for(Object.entries(excessive))("a frame of %s", async ([, frame], { server }) => {
    await using socket = await OpenenvSocket.open(server.url, "/stage/ws");
    const wrapped = `{"type":"reset","data":${frame}}`;
    for (const text of [frame, wrapped]) {
      const response = await socket.request(text);
      expect(response?.data).toMatchObject({ code: "VALIDATION_ERROR" });
      expect(JSON.stringify(response).length).toBeLessThan(1000);
    }
    expect((await socket.reset({ index: 0 }))?.type).toBe("observation");
  });
});
