import {
  defineEnvironment,
  evaluate,
  type Message,
  type ModelRequest,
  userMessage,
} from "@envs/core";
import { contentHash } from "@envs/core/engine";
import { openai, type OpenAIOptions } from "@envs/models";
import { type ModelServer, type ModelServerOptions, modelServer } from "@envs/models/testing";
import { expect, test, vi } from "vitest";

const never = new AbortController().signal;

/** A conversation of three turns. The reply depends on all of it. */
const talk = defineEnvironment({
  name: "talk",
  dataset: () => Array.from({ length: 6 }, (_, id) => ({ prompt: `Example ${id}.` })),
  respond: () => "Go on.",
  episode: { maxTurns: 3 },
  rubric: { length: ({ reply }) => reply.length / 100 },
});
const answer = ({ messages }: ModelRequest): string => contentHash(messages);

async function servers(count: number, options?: ModelServerOptions) {
  const list = await Promise.all(
    Array.from({ length: count }, () => modelServer({ answer, ...options })),
  );
  return {
    list: list as [ModelServer, ModelServer, ...ModelServer[]],
    model: (more?: OpenAIOptions) =>
      openai("model", { baseURL: list.map(({ url }) => url), ...more }),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(list.map((server) => server.close()))),
  };
}

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [userMessage("Hi.")],
  signal: never,
  ...more,
});

test("plays the same rollouts on several failing servers as on one", async () => {
  await using one = await modelServer({ answer });
  await using many = await servers(3);
  many.list[0].faults = { serverError: { chance: 0.3 }, drop: { chance: 0.3 } };
  many.list[1].faults = { cut: { chance: 0.3 } };
  const run = { examples: 6, rolloutsPerExample: 2, seed: 5 };
  const expected = await evaluate(talk(), {
    ...run,
    model: openai("model", { baseURL: one.url }),
  });
  const actual = await evaluate(talk(), { ...run, model: many.model() });
  const replies = ({ rollouts }: typeof actual) =>
    rollouts.map(({ exampleKey, rolloutIndex, completion }) => ({
      exampleKey,
      rolloutIndex,
      completion,
    }));
  expect(replies(actual)).toEqual(replies(expected));
  expect(actual.counts.failed).toBe(0);
});

test("sends the turns of a rollout to the server of its first turn", async () => {
  const seen: Message[][] = [[], [], []];
  const list = await Promise.all(
    seen.map((firsts) =>
      modelServer({
        answer({ messages }) {
          firsts.push(messages[0]!);
          return "Yes.";
        },
      }),
    ),
  );
  const model = openai("model", { baseURL: list.map(({ url }) => url).join(",") });
  await evaluate(talk(), { examples: 6, rolloutsPerExample: 1, model });
  const conversations = seen.map((firsts) => new Set(firsts.map(({ content }) => content)));
  expect(conversations.map(({ size }) => size)).toEqual([2, 2, 2]);
  expect(new Set(conversations.flatMap((set) => [...set])).size).toBe(6);
  await Promise.all(list.map((server) => server.close()));
});

test("sends a request to the server with the fewest open requests", async () => {
  await using three = await servers(3);
  const model = three.model();
  three.list[0].faults = { stall: {} };
  const controller = new AbortController();
  const open = model(request({ signal: controller.signal })).catch(() => "aborted");
  for (let i = 0; i < 6; i += 1) await model(request());
  expect(three.list.map(({ requests }) => requests)).toEqual([1, 3, 3]);
  controller.abort();
  expect(await open).toBe("aborted");
});

test("moves a session away from a server that is much busier than another", async () => {
  await using two = await servers(2, { faults: { stall: {} } });
  const model = two.model();
  const controller = new AbortController();
  const open = Array.from({ length: 40 }, () =>
    model(request({ session: "one", signal: controller.signal })).catch(() => {}),
  );
  await vi.waitFor(() => expect(two.list[0].requests + two.list[1].requests).toBe(40), 120_000);
  expect(two.list[0].requests).toBeGreaterThan(16);
  expect(two.list[1].requests).toBeGreaterThan(10);
  controller.abort();
  await Promise.all(open);
});

test("answers on another server when one dies with open requests", async () => {
  await using two = await servers(2);
  const model = two.model({ retries: 0 });
  two.list[0].faults = { stall: {} };
  const replies = Array.from({ length: 8 }, () => model(request()));
  await vi.waitFor(() => expect(two.list[0].requests).toBe(4), 120_000);
  await two.list[0].close();
  expect(await Promise.all(replies)).toHaveLength(8);
  expect(model.serverUse()).toMatchObject([
    { server: two.list[0].url, requests: 4, failures: 4 },
    { server: two.list[1].url, requests: 8, failures: 0, lastFailure: undefined },
  ]);
});

test("waits for the Retry-After of a server before it sends another request", async () => {
  await using two = await servers(2);
  const model = two.model();
  two.list[0].faults = { rateLimit: { retryAfter: 60 } };
  for (let i = 0; i < 6; i += 1) await model(request({ session: `session ${i % 2}` }));
  expect(two.list.map(({ requests }) => requests)).toEqual([1, 6]);
});

test("uses a server again after it has come back at its address", async () => {
  await using two = await servers(2);
  const [first] = two.list;
  const model = two.model();
  await model(request());
  await first.close();
  for (let i = 0; i < 3; i += 1) await model(request());
  await using restarted = await modelServer({ answer, port: first.port });
  await vi.waitFor(
    async () => {
      await model(request());
      expect(restarted.requests).toBeGreaterThan(2);
    },
    { timeout: 20_000, interval: 20 },
  );
});

test("plays on when a server was never reachable", async () => {
  await using two = await servers(2);
  await two.list[0].close();
  const { counts } = await evaluate(talk(), {
    examples: 6,
    rolloutsPerExample: 1,
    model: two.model(),
  });
  expect(counts).toMatchObject({ scored: 6, failed: 0 });
});

test("fails as fatal with the address of each server when none was ever reachable", async () => {
  await using two = await servers(2);
  await Promise.all(two.list.map((server) => server.close()));
  const baseURL = two.list.map(({ url }) => `${url}?key=hunter2`);
  const failure = openai("model", { baseURL })(request());
  await expect(failure).rejects.toMatchObject({ code: "model", isFatal: true });
  const message = await failure.catch((error: unknown) => (error as Error).message);
  expect(message).toMatch(/^None of the 2 servers answered\. Cannot connect to /);
  for (const { url } of two.list) expect(message).toContain(url);
  expect(message).not.toContain("hunter2");
});

test("fails one turn with the reason of each server when all of them fail", async () => {
  await using two = await servers(2, { faults: { serverError: { status: 503 } } });
  const failure = two.model({ retries: 1 })(request());
  await expect(failure).rejects.toMatchObject({ code: "model", isFatal: false });
  const message = await failure.catch((error: unknown) => (error as Error).message);
  for (const { url } of two.list) expect(message).toContain(`${url} responded 503`);
});

test("fails at once when a server rejects the API key", async () => {
  await using two = await servers(2);
  two.list[0].faults = { serverError: { status: 401 } };
  await expect(two.model()(request())).rejects.toMatchObject({ isFatal: true });
  expect(two.list[1].requests).toBe(0);
});

test("aborts a request without asking another server", async () => {
  await using two = await servers(2, { faults: { stall: {} } });
  const controller = new AbortController();
  const reply = two.model()(request({ signal: controller.signal }));
  await vi.waitFor(() => expect(two.list[0].requests).toBe(1), 120_000);
  controller.abort(new Error("stop"));
  await expect(reply).rejects.toThrow("stop");
  expect(two.list[1].requests).toBe(0);
});

test.for([
  [[], "is empty"],
  ["http://a/v1,b/v1", "contains a comma"],
  [["http://a/v1", "http://a/v1"], "is listed twice"],
  ["http://a/v1, http://me:hunter2@b/v1", "contains a user name or a password"],
] as const)("rejects the base URLs %j", ([baseURL, problem]) => {
  const { check } = openai("model", { baseURL });
  expect(() => check?.({ name: "any", policies: [], media: [] })).toThrow(problem);
});
