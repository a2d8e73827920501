import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { hubClient, type HubRequestError } from "@envs/hub-client";
import { expect, test } from "vitest";

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface TestServer extends AsyncDisposable {
  readonly asked: readonly Asked[];
  readonly url: string;
}

/** A server on loopback that answers everything in one way, and remembers what it was asked. */
async function serverOf(answer: (response: ServerResponse) => void): Promise<TestServer> {
  const asked: Asked[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    asked.push({ method, url, authorization: headers.authorization, body: await text(request) });
    answer(response);
  };
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const json =
  (status: number, body: unknown) =>
  (response: ServerResponse): void =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify(body));

const statistics = { packages: 1, environments: 1, versions: 2, accounts: 3, downloads: 4 };

async function failureOf(call: Promise<unknown>): Promise<HubRequestError> {
  try {
    await call;
  } catch (error) {
    return error as HubRequestError;
  }
  throw new Error("The call did not fail.");
}

test("an answer is what the route promises; what else is in it is left out", async () => {
  await using server = await serverOf(json(200, { ...statistics, futures: 5 }));
  expect(await hubClient({ url: server.url }).readStatistics()).toEqual(statistics);
  expect(server.asked).toEqual([
    { method: "GET", url: "/api/v1/stats", authorization: undefined, body: "" },
  ]);
});

test("one object holds what goes into the path, the query and the body", async () => {
  await using server = await serverOf(
    json(404, { error: "No.", message: "No.", code: "not-found" }),
  );
  const hub = hubClient({ url: `${server.url}/`, token: "envh_1" });
  await failureOf(hub.findPackages({ q: "tic & tac", tag: ["a", "b"], page: 2 }));
  await failureOf(hub.readVersion({ name: "@envs/tictactoe", version: "1.0.0+?#" }));
  await failureOf(
    hub.publishAdvisory({
      name: "@envs/tictactoe",
      title: "It leaks",
      severity: "low",
      vulnerableVersions: "*",
    }),
  );
  expect(server.asked).toEqual([
    {
      method: "GET",
      url: "/api/v1/packages?q=tic+%26+tac&tag=a&tag=b&page=2",
      authorization: "Bearer envh_1",
      body: "",
    },
    {
      method: "GET",
      url: "/api/v1/packages/%40envs%2Ftictactoe/versions/1.0.0%2B%3F%23",
      authorization: "Bearer envh_1",
      body: "",
    },
    {
      method: "POST",
      url: "/api/v1/packages/%40envs%2Ftictactoe/advisories",
      authorization: "Bearer envh_1",
      body: '{"title":"It leaks","severity":"low","vulnerableVersions":"*"}',
    },
  ]);
});

test("a refusal has the hub's status, code and message", async () => {
  const body = { error: "@a/b is not on this hub.", message: "@a/b is not on this hub." };
  await using server = await serverOf(json(404, { ...body, code: "not-found" }));
  const error = await failureOf(hubClient({ url: server.url }).readPackage({ name: "@a/b" }));
  expect(error).toMatchObject({
    name: "HubRequestError",
    status: 404,
    code: "not-found",
    message: body.message,
  });
});

test.each([
  ["a page", 200, "<!doctype html><title>Welcome</title>", "not-a-hub"],
  ["another registry", 404, '{"error":"not found"}', "not-a-hub"],
  ["a page that says no", 403, "<h1>Forbidden</h1>", "not-a-hub"],
  ["a proxy without a hub", 502, "<h1>Bad Gateway</h1>", "unavailable"],
  ["a hub of another version", 200, '{"packages":1}', "unexpected-answer"],
  ["something that answers null", 200, "null", "unexpected-answer"],
])("%s is told from a hub", async (_, status, body, code) => {
  await using server = await serverOf((response) => response.writeHead(status).end(body));
  const error = await failureOf(hubClient({ url: server.url }).readStatistics());
  expect(error).toMatchObject({ name: "HubRequestError", status, code });
  expect(error.message).toContain(server.url);
});

test("where nothing answers, the message says where, why, and what to do", async () => {
  const { url } = await (async () => {
    await using closed = await serverOf(() => {});
    return closed;
  })();
  const error = await failureOf(hubClient({ url }).readStatistics());
  expect(error).toMatchObject({
    status: undefined,
    code: "unreachable",
    message: `Nothing answers at ${url} (ECONNREFUSED). Check the address, and that the hub is running.`,
  });
});

test("an answer that breaks off is none", async () => {
  await using server = await serverOf((response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    setImmediate(() => response.destroy());
  });
  const error = await failureOf(hubClient({ url: server.url }).readStatistics());
  expect(error).toMatchObject({ code: "unreachable" });
});

test("an aborted call throws what it was aborted with", async () => {
  await using server = await serverOf(() => {});
  const reason = new Error("enough");
  const controller = new AbortController();
  const call = hubClient({ url: server.url }).readStatistics({}, { signal: controller.signal });
  controller.abort(reason);
  expect(await failureOf(call)).toBe(reason);
});

test.each(["localhost:4873", "ftp://localhost", "", "hub"])(
  "%j is not the address of a hub",
  (url) => {
    expect(() => hubClient({ url })).toThrow(/is not the address of a hub. Write it like http/);
  },
);

test("a fetch of one's own is used instead", async () => {
  const fetch = async (): Promise<Response> => Response.json(statistics);
  expect(await hubClient({ url: "http://hub.example.com", fetch }).readStatistics()).toEqual(
    statistics,
  );
});
