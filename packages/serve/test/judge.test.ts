import { setTimeout as sleep } from "node:timers/promises";

import { isConfigError } from "@envs/core/engine";
import { type ReplyFunction } from "@envs/core/testing";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished } from "vitest";

import { serve, serveMcp } from "../src/index.ts";
import judged from "./fixtures/judged.ts";
import { test, type TestServer } from "./support/test-server.ts";

async function reward(server: TestServer, text: string) {
  const socket = await server.openSocket();
  await socket.reset();
  return (await socket.step({ text }))?.data.reward;
}

async function careful(answer?: ReplyFunction) {
  const server = await modelServer({ name: "careful", answer });
  onTestFinished(() => server.close());
  return server;
}

test("a server asks its judge over HTTP, and equal questions once", async ({ startServer }) => {
  const judge = await careful();
  const server = await startServer([judged()], {
    judge: openai("careful", { baseURL: judge.url }),
  });
  expect(await reward(server, "good")).toBe(1);
  expect(await reward(server, "good")).toBe(1);
  expect(await reward(server, "bad")).toBe(0);
  expect(judge.requests).toBe(2);
});

test("a server limits the concurrent questions to its judge", async ({ startServer }) => {
  const judge = await careful(() => sleep(5, "good"));
  const server = await startServer([judged()], {
    judge: openai("careful", { baseURL: judge.url }),
    judgeConcurrency: 1,
  });
  const replies = Array.from({ length: 4 }, (_, index) => `Reply ${index}.`);
  await Promise.all(replies.map((text) => reward(server, text)));
  expect([judge.requests, judge.maxConcurrent]).toEqual([4, 1]);
});

test("a server does not start without the judge that a score asks", async () => {
  const starting = serve([judged()], { port: 0 });
  await expect(starting).rejects.toSatisfy(isConfigError);
  await expect(starting).rejects.toThrow(/good of judged asks a judge.*--judge/u);
  const mcp = serveMcp(judged(), { transport: { port: 0 }, log: () => undefined });
  await expect(mcp).rejects.toSatisfy(isConfigError);
});
