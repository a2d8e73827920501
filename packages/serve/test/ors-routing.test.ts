import tictactoe from "@envs/tictactoe";
import { describe, expect, test } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
import { stage } from "./fixtures/stage.ts";
import { orsClient } from "./support/ors-client.ts";

const fetchStatus = async (
  { url }: EnvironmentServer,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) => {
  const response = await fetch(`${url}${path}`, { method, headers, redirect: "manual" });
  await response.arrayBuffer();
  return [response.status, response.headers.get("location")];
};

describe("a path", () => {
  test("is redirected to the first environment if it does not begin with a known name", async () => {
    await using server = await serve([stage(), tictactoe()], { port: 0 });
    expect(await fetchStatus(server, "/tools")).toEqual([308, "/stage/tools"]);
    expect(await fetchStatus(server, "/call?a=1&b=%2F", { method: "POST" })).toEqual([
      308,
      "/stage/call?a=1&b=%2F",
    ]);
    expect(await fetchStatus(server, "/chess/tools")).toEqual([308, "/stage/chess/tools"]);
    expect(await fetchStatus(server, "/chess/tasks", { method: "POST" })).toEqual([
      308,
      "/stage/chess/tasks",
    ]);
    expect(await fetchStatus(server, "//elsewhere.org/a")).toEqual([
      308,
      "/stage//elsewhere.org/a",
    ]);
  });

  test("is not redirected if it begins with a known name", async () => {
    await using server = await serve([stage(), tictactoe()], { port: 0 });
    for (const [path, status] of [
      ["/stage/nothing", 404],
      ["/tictactoe/tools", 200],
      ["/stage/chess/tools", 404],
      ["/ping/nothing", 404],
      ["/ping", 405],
      ["/list_environments", 200],
      ["/splits", 200],
      ["/health", 200],
    ] as const)
      expect(await fetchStatus(server, path)).toEqual([status, null]);
  });

  test("may name an environment in any case", async () => {
    await using server = await serve([stage(), tictactoe()], { port: 0 });
    expect(await fetchStatus(server, "/TicTacToe/tools?a")).toEqual([308, "/tictactoe/tools?a"]);
  });

  test("is redirected to the environment of the header X-Deployment", async () => {
    await using server = await serve([stage(), tictactoe()], { port: 0 });
    const headers = { "x-deployment": "owner/TicTacToe" };
    expect(await fetchStatus(server, "/tools", { headers })).toEqual([308, "/tictactoe/tools"]);
    expect(await fetchStatus(server, "/splits", { headers })).toEqual([308, "/tictactoe/splits"]);
    expect(await fetchStatus(server, "/stage/splits", { headers })).toEqual([200, null]);
    expect(await fetchStatus(server, "/list_environments", { headers })).toEqual([200, null]);
    const env = { "x-deployment": "env" };
    expect(await fetchStatus(server, "/tools", { headers: env })).toEqual([308, "/stage/tools"]);
    expect(await fetchStatus(server, "/splits", { headers: env })).toEqual([200, null]);
    const { get, post } = orsClient(server, "a");
    await post("/create", { split: "train", index: 0 }, headers);
    expect((await get("/prompt")).text).toMatch("tic-tac-toe");
  });

  test("is not redirected without the server's key", async () => {
    await using server = await serve([stage()], { port: 0, apiKey: "opensesame" });
    expect(await fetchStatus(server, "/tools")).toEqual([401, null]);
    const headers = { "x-api-key": "opensesame" };
    expect(await fetchStatus(server, "/tools", { headers })).toEqual([308, "/stage/tools"]);
  });
});
