import { isConfigError } from "@envs/core/engine";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import { expect, test } from "vitest";

import { serve } from "../src/index.ts";

test("a server reports its health and its environments", async () => {
  await using server = await serve([tictactoe(), reverseText()], { port: 0 });
  const health = await fetch(`${server.url}/health`);
  expect(await health.json()).toMatchObject({ status: "healthy", sessions: { open: 0 } });
  const names = await fetch(`${server.url}/list_environments`);
  expect(await names.json()).toEqual(["tictactoe", "reverse-text"]);
});

test("rejects two environments with the same name", async () => {
  const starting = serve([tictactoe(), tictactoe()], { port: 0 });
  await expect(starting).rejects.toSatisfy(isConfigError);
});

test("returns 401 without the key, except for the health check", async () => {
  await using server = await serve([tictactoe()], { port: 0, apiKey: "opensesame" });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, { headers }).then(({ status }) => status);
  expect(await get("/list_environments")).toBe(401);
  expect(await get("/list_environments", { authorization: "Bearer wrong" })).toBe(401);
  expect(await get("/list_environments", { authorization: "Bearer opensesame" })).toBe(200);
  expect(await get("/list_environments", { "x-api-key": "opensesame" })).toBe(200);
  expect(await get("/health")).toBe(200);
});
