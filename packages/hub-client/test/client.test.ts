import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { hubClient, type HubRequestError } from "@envs/hub-client";
import { expect, test } from "vitest";

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface TestServer extends AsyncDisposable {
  readonly requests: readonly ReceivedRequest[];
  readonly url: string;
}

/** Starts a server that sends the same response to all requests, and records them. */
async function startServer(respond: (response: ServerResponse) => void): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    requests.push({ method, url, authorization: headers.authorization, body: await text(request) });
    respond(response);
  };
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
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

async function rejectionOf(call: Promise<unknown>): Promise<HubRequestError> {
  try {
    await call;
  } catch (error) {
    return error as HubRequestError;
  }
  throw new Error("The call did not reject.");
}

test("returns the fields of the route's schema, and drops others", async () => {
  await using server = await startServer(json(200, { ...statistics, futures: 5 }));
  expect(await hubClient({ url: server.url }).readStatistics()).toEqual(statistics);
  expect(server.requests).toEqual([
    { method: "GET", url: "/api/v1/stats", authorization: undefined, body: "" },
  ]);
});

test("sends one input object as path, query and body", async () => {
  await using server = await startServer(
    json(404, { error: "No.", message: "No.", code: "not-found" }),
  );
  const hub = hubClient({ url: `${server.url}/`, token: "envh_1" });
  await rejectionOf(hub.findPackages({ q: "tic & tac", tag: ["a", "b"], page: 2 }));
  await rejectionOf(hub.readVersion({ name: "@envs/tictactoe", version: "1.0.0+?#" }));
  await rejectionOf(
    hub.publishAdvisory({
      name: "@envs/tictactoe",
      title: "It leaks",
      severity: "low",
      vulnerableVersions: "*",
    }),
  );
  expect(server.requests).toEqual([
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

test("throws the hub's status, code and message", async () => {
  const body = { error: "@a/b is not on this hub.", message: "@a/b is not on this hub." };
  await using server = await startServer(json(404, { ...body, code: "not-found" }));
  const error = await rejectionOf(hubClient({ url: server.url }).readPackage({ name: "@a/b" }));
  expect(error).toMatchObject({
    name: "HubRequestError",
    status: 404,
    code: "not-found",
    message: body.message,
  });
});

test.each([
  ["a web page", 200, "<!doctype html><title>Welcome</title>", "not-a-hub"],
  ["another registry", 404, '{"error":"not found"}', "not-a-hub"],
  ["a forbidden page", 403, "<h1>Forbidden</h1>", "not-a-hub"],
  ["a proxy that cannot reach its hub", 502, "<h1>Bad Gateway</h1>", "unavailable"],
  ["a hub of another version", 200, '{"packages":1}', "unexpected-answer"],
  ["a server that responds with null", 200, "null", "unexpected-answer"],
])("throws a specific code for %s", async (_, status, body, code) => {
  await using server = await startServer((response) => response.writeHead(status).end(body));
  const error = await rejectionOf(hubClient({ url: server.url }).readStatistics());
  expect(error).toMatchObject({ name: "HubRequestError", status, code });
  expect(error.message).toContain(server.url);
});

test("throws unreachable with the address and the cause if no server responds", async () => {
  const { url } = await (async () => {
    await using closed = await startServer(() => {});
    return closed;
  })();
  const error = await rejectionOf(hubClient({ url }).readStatistics());
  expect(error).toMatchObject({
    status: undefined,
    code: "unreachable",
    message: `${url} does not respond (ECONNREFUSED). Check the address, and that the hub is running.`,
  });
});

test("throws unreachable if the response is incomplete", async () => {
  await using server = await startServer((response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    setImmediate(() => response.destroy());
  });
  const error = await rejectionOf(hubClient({ url: server.url }).readStatistics());
  expect(error).toMatchObject({ code: "unreachable" });
});

test("throws the signal's reason if the call is aborted", async () => {
  await using server = await startServer(() => {});
  const reason = new Error("aborted");
  const controller = new AbortController();
  const call = hubClient({ url: server.url }).readStatistics({}, { signal: controller.signal });
  controller.abort(reason);
  expect(await rejectionOf(call)).toBe(reason);
});

test.each(["localhost:4873", "ftp://localhost", "", "hub"])("rejects %j as an address", (url) => {
  expect(() => hubClient({ url })).toThrow(/is not the address of a hub. Use the form http/);
});

test("uses the fetch function of the options", async () => {
  const fetch = async (): Promise<Response> => Response.json(statistics);
  expect(await hubClient({ url: "http://hub.example.com", fetch }).readStatistics()).toEqual(
    statistics,
  );
});
