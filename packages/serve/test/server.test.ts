import { isConfigError } from "@envs/core/engine";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import { expect, test } from "vitest";

import { serve } from "../src/index.ts";

test("a server says that it is healthy, and what it serves", async () => {
  await using server = await serve([tictactoe(), reverseText()], { port: 0 });
  const health = await fetch(`${server.url}/health`);
  expect(await health.json()).toEqual({ status: "healthy" });
  const names = await fetch(`${server.url}/list_environments`);
  expect(await names.json()).toEqual(["tictactoe", "reverse-text"]);
});

test("two environments of one name are refused", async () => {
  const both = serve([tictactoe(), tictactoe()], { port: 0 });
  await expect(both).rejects.toSatisfy(isConfigError);
});

test("whoever does not send the key is told so, but may ask whether the server is up", async () => {
  await using server = await serve([tictactoe()], { port: 0, apiKey: "opensesame" });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, { headers }).then(({ status }) => status);
  expect(await get("/list_environments")).toBe(401);
  expect(await get("/list_environments", { authorization: "Bearer wrong" })).toBe(401);
  expect(await get("/list_environments", { authorization: "Bearer opensesame" })).toBe(200);
  expect(await get("/list_environments", { "x-api-key": "opensesame" })).toBe(200);
  expect(await get("/health")).toBe(200);
});
