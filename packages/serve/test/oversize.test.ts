import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
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
  "what only begins": "[".repeat(1_000_000),
  "millions of values": `{"response":{"output":${ones}}}`,
  "many keys": `{${keys}}`,
  "many keys in fields": everything(`{${keys}}`),
};
const strange: Readonly<Record<string, string | Uint8Array>> = {
  nothing: "",
  null: "null",
  "a number": "5",
  "a text": '"x"',
  "an array": "[]",
  "fields that are numbers": everything("5"),
  "fields that are arrays of numbers": everything("[5, 5]"),
  "half of an object": '{"split":',
  "a prototype": '{"__proto__":{"split":"train"},"constructor":{"prototype":{}}}',
  "no UTF-8": new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0xff, 0x7d]),
  NUL: '{"split":"\\u0000","index":0}',
  "a number that is infinite": '{"split":"train","index":1e999}',
};

let server: EnvironmentServer;
let paths: readonly string[];
beforeAll(async () => {
  server = await serve([stage({ opened: Promise.resolve() })], {
    port: 0,
    sessions: 100,
  });
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, { readonly post?: unknown }>>;
  };
  paths = Object.keys(document.paths)
    .filter((path) => document.paths[path]!.post !== undefined)
    .map((path) => path.replace("{environment}", "stage").replace("{tool}", "respond"));
  paths = [...paths, "/web/key", "/nowhere", "/STAGE/call"];
});
afterAll(() => server.close());

async function post(path: string, body: string | Uint8Array, headers: Record<string, string>) {
  const answer = await fetch(server.url + path, {
    method: "POST",
    body: body as BodyInit,
    headers: { "content-type": "application/json", "x-session-id": "a session", ...headers },
  });
  return { status: answer.status, text: await answer.text() };
}

async function expectAnswers(body: string | Uint8Array, headers: Record<string, string> = {}) {
  for (const path of paths) {
    const { status, text } = await post(path, body, headers);
    if (status >= 500 || text.length > 20_000) throw new Error(`${path}: ${status} ${text}`);
    expectNoLeak(text);
  }
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
}

describe("every route answers, briefly and without a failure of its own", () => {
  test.each(Object.entries(excessive))("a body of %s", (_, body) => expectAnswers(body));
  test.each(Object.entries(strange))("a body of %s", (_, body) => expectAnswers(body));
  test.each([
    "text/plain",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "nonsense",
  ])("a body of type %s", (type) =>
    expectAnswers('{"split":"train","index":0}', { "content-type": type }),
  );

  test("headers that are no ids, no cookies and no keys", () =>
    expectAnswers('{"split":"train","index":0}', {
      "x-session-id": "x".repeat(8000),
      cookie: `session=${"=".repeat(2000)}; envs_key=${"%".repeat(2000)};;;`,
      "x-deployment": "/".repeat(2000),
      authorization: "Bearer",
    }));
});

test("a body of more than 100 MB is refused before it is read", async () => {
  const answer = await fetch(`${server.url}/stage/reset`, {
    method: "POST",
    body: Buffer.alloc(100 * 2 ** 20 + 1, " "),
    headers: { "content-type": "application/json" },
  }).catch((error: unknown) => error as Error);
  // The server closes at once: a client that is still sending may see that, and not the answer.
  if (answer instanceof Response) expect(answer.status).toBe(413);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

test("values that nobody expects are told back only in part", async () => {
  const long = "x".repeat(1_000_000);
  const { status, text } = await post("/stage/num_tasks", JSON.stringify({ split: long }), {});
  expect([status, text.length < 1000]).toEqual([400, true]);
  const fields = Object.fromEntries(
    Array.from({ length: 9000 }, (_, at) => [`${long.slice(0, 90)}${at}`, 0]),
  );
  const wrong = await post("/stage/reset", JSON.stringify(fields), {});
  expect([wrong.status, wrong.text.length < 1000]).toEqual([422, true]);
  await using socket = await OpenenvSocket.open(server.url, "/stage/ws");
  for (const frame of [
    { type: long },
    { type: "reset", data: fields },
    { type: "reset", data: { split: long } },
  ])
    expect(JSON.stringify(await socket.ask(frame)).length).toBeLessThan(20_000);
});

test("metrics of a hundred thousand rollouts are added up in a moment", async () => {
  const results = Array.from({ length: 100_000 }, () => ({ _ng_task_index: 1, reward: 0.5 }));
  const { status, text } = await post("/nemo/stage/aggregate_metrics", JSON.stringify(results), {});
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { agent_metrics: { "mean/reward": 0.5 }, group_level_metrics: [{ _ng_task_index: 1 }] },
  ]);
}, 20_000);

describe("a socket answers, briefly and once", () => {
  test.each(Object.entries(excessive))("a frame of %s", async (_, frame) => {
    await using socket = await OpenenvSocket.open(server.url, "/stage/ws");
    const wrapped = `{"type":"reset","data":${frame}}`;
    for (const each of [frame, wrapped]) {
      const answer = await socket.ask(each);
      expect(answer?.data).toMatchObject({ code: "VALIDATION_ERROR" });
      expect(JSON.stringify(answer).length).toBeLessThan(1000);
    }
    expect((await socket.reset({ index: 0 }))?.type).toBe("observation");
  });
});
