import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable, Writable } from "node:stream";

import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

import type { ServedEnvironment } from "../context.ts";
import type { Servable } from "../host/environment-reference.ts";
import { inlineHosts } from "../host/inline-hosts.ts";
import type { ServedJudge } from "../host/judge-reference.ts";
import type { ServedSubModel } from "../host/sub-model-reference.ts";
import { listedTool, servedTools } from "../served-tools.ts";
import { Sessions } from "../sessions/sessions.ts";
import { EpisodeTools } from "./episode-tools.ts";

/** How an environment is served to MCP clients. */
export interface ServeMcpOptions extends ServedJudge, ServedSubModel {
  /** Standard streams that carry the protocol, or a port of this machine for streamable HTTP (0 for any). */
  readonly transport:
    | { readonly input: Readable; readonly output: Writable }
    | { readonly port: number };
  /** Determines the order of endless datasets and, with the example, all randomness. Default 0. */
  readonly seed?: number | undefined;
  /** Maximum number of open episodes. Default 64. */
  readonly sessions?: number | undefined;
  /** Receives errors that clients must not see. */
  readonly log: (error: unknown) => void;
}

/** An environment that is being served. */
export interface McpServing {
  /** The URL for clients; `undefined` for standard streams. */
  readonly url: string | undefined;
  /** Resolves when the client has closed the standard streams. */
  readonly closed: Promise<void>;
  /** Closes all episodes. */
  close(): Promise<void>;
}

const stepTimeoutMs = 120_000;
const idleTimeoutMs = 3_600_000;

/** Serves an environment to stock MCP clients, with tools that start, play and score episodes. */
export async function serveMcp(servable: Servable, options: ServeMcpOptions): Promise<McpServing> {
  const { transport, seed = 0, sessions: maxSessions = 64, log } = options;
  const host = (await inlineHosts([servable], options))[0]!;
  // The environment's text-only tool is the way to reply, also where each episode has its own tools.
  const environment = { host, tools: servedTools(host.card.tools ?? []) };
  const limits = { maxSessions, idleTimeoutMs, stepTimeoutMs };
  const sessions = new Sessions(limits, seed);
  const tools = new EpisodeTools(environment, sessions, log);
  const connection = await listen(() => episodeServer(environment, tools), transport, log);
  return {
    ...connection,
    async close() {
      await connection.close();
      await sessions.closeAll();
      await host[Symbol.asyncDispose]();
    },
  };
}

function episodeServer({ host: { card } }: ServedEnvironment, tools: EpisodeTools): Server {
  const { start, score } = tools.names;
  const server = new Server(
    { name: card.name, version: card.version ?? "0.0.0" },
    {
      capabilities: { tools: {} },
      instructions: `${card.description}\n\nA reinforcement-learning environment. Call ${start} for a task, act with the other tools until the episode is over, then call ${score}.`,
    },
  );
  server.setRequestHandler("tools/list", async () => ({
    tools: tools.specs.map(listedTool) as never,
  }));
  server.setRequestHandler("tools/call", ({ params }) =>
    tools.call(params.name, params.arguments ?? {}),
  );
  return server;
}

async function listen(
  create: () => Server,
  transport: ServeMcpOptions["transport"],
  log: (error: unknown) => void,
): Promise<McpServing> {
  if ("input" in transport) {
    const { input, output } = transport;
    const closed = once(input, "end").then(() => undefined);
    const handle = serveStdio(create, {
      transport: new StdioServerTransport(input, output),
      onerror: log,
    });
    return { url: undefined, closed, close: () => handle.close() };
  }
  const handler = createMcpHandler(create, { onerror: log });
  const handle = toNodeHandler(handler);
  // Rejects requests of pages of other sites.
  const guards = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (!guards.every((guard) => guard(request, response))) return;
    if (request.url?.split("?")[0] !== "/mcp") return void response.writeHead(404).end();
    void handle(request as Parameters<typeof handle>[0], response);
  });
  server.listen(transport.port, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    closed: once(server, "close").then(() => undefined),
    async close() {
      await handler.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
