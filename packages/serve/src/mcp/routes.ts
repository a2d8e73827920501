import type { FastifyInstance, FastifyReply } from "fastify";
import * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import { quote } from "../errors.ts";
import { jsonLimitProblem } from "../http/json-limits.ts";
import { errorResponses } from "../http/openapi.ts";
import {
  invalidRequestResponse,
  parseErrorResponse,
  parseParams,
  rpcErrorOf,
  rpcId,
  type RpcResponse,
  rpcResponse,
} from "../json-rpc.ts";
import { exampleFields } from "../sessions/reset-query.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { answerInSession, initializeResult, negotiateVersion, protocolVersions } from "./answer.ts";
import { McpSessions } from "./mcp-sessions.ts";

const rpcMessage = z.looseObject({
  jsonrpc: z.literal("2.0"),
  method: z
    .string()
    .describe("initialize, ping, tools/list, tools/call, or a method of OpenEnv's sessions"),
  params: z.record(z.string(), z.unknown()).optional(),
  id: rpcId.optional(),
});

/** Selects the example of a session, in the query of its URL. */
const exampleQuery = z.object({
  ...exampleFields,
  index: z.coerce.number().int().min(0).optional(),
  seed: z.coerce.number().int().min(0).optional(),
});

const sessionHeaders = z.object({
  "mcp-session-id": z.string().optional().describe("The session that initialize opened"),
  "mcp-protocol-version": z.string().optional(),
});

/** The functions that answer the requests of one environment's routes. */
export interface McpContext {
  readonly environment: ServedEnvironment;
  readonly sessions: Sessions;
  /** Answers requests outside a session. */
  readonly answerOther: (request: unknown, log: (error: unknown) => void) => Promise<RpcResponse>;
}

/**
 * MCP over streamable HTTP, with responses as JSON. A session is one episode: `initialize` starts it, and the query of the
 * URL selects its example. Other requests without a session belong to OpenEnv's dialect, which responds with 200 to every
 * body, so the route parses bodies itself. Needs its own scope.
 */
export function mcpRoutes(app: FastifyInstance, context: McpContext): void {
  const { environment, sessions } = context;
  const mcpSessions = new McpSessions(environment, sessions);
  const schema = {
    tags: ["mcp"],
    querystring: exampleQuery,
    headers: sessionHeaders,
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.post(
    "/mcp",
    {
      schema: {
        ...schema,
        body: rpcMessage,
        response: { 200: rpcResponse, 202: z.null(), ...errorResponses },
      },
      validatorCompiler: () => (value) => ({ value }),
    },
    async ({ body, headers, query, log }, reply) => {
      const message = readMessage((body ?? "") as string);
      if ("error" in message) return message.error;
      const logError = (err: unknown): void => log.error({ err });
      const { request } = message;
      const { data: rpc } = rpcMessage.safeParse(request);
      const sessionId = headers["mcp-session-id"];
      const isOpening = rpc?.method === "initialize";
      if (sessionId === undefined && !isOpening && !isNotification(rpc))
        return context.answerOther(request, logError);
      if (rpc === undefined) return invalidRequestResponse("It is not a JSON-RPC message.");
      const problem = versionProblem(headers["mcp-protocol-version"]);
      if (problem !== undefined) return reply.code(400).send({ detail: problem });
      const id = rpc.id ?? null;
      try {
        if (isOpening) {
          const protocolVersion = negotiateVersion(rpc.params);
          const opened = await mcpSessions.open(parseParams(exampleQuery, query));
          reply.header("mcp-session-id", opened.session.id);
          const result = { protocolVersion, ...initializeResult(environment, opened) };
          return { jsonrpc: "2.0", id, result };
        }
        const session = mcpSessions.find(String(sessionId));
        if (session === undefined) return noSession(reply);
        if (isNotification(rpc)) return reply.code(202).send();
        return { jsonrpc: "2.0", id, result: await answerInSession(rpc, environment, session) };
      } catch (error) {
        return { jsonrpc: "2.0", id, error: rpcErrorOf(error, { sessions, log: logError }) };
      }
    },
  );

  app.delete(
    "/mcp",
    {
      schema: { ...schema, response: { 204: z.null(), ...errorResponses } },
      validatorCompiler: () => (value) => ({ value }),
    },
    async ({ headers }, reply) => {
      const session = mcpSessions.find(String(headers["mcp-session-id"]));
      if (session === undefined) return noSession(reply);
      await mcpSessions.close(session);
      return reply.code(204).send();
    },
  );
}

function readMessage(
  text: string,
): { readonly request: unknown } | { readonly error: RpcResponse } {
  const problem = jsonLimitProblem(text);
  if (problem !== undefined) return { error: invalidRequestResponse(problem) };
  try {
    return { request: JSON.parse(text) };
  } catch {
    return { error: parseErrorResponse };
  }
}

/** Whether a message has no id, so that it gets no response. */
function isNotification(rpc: z.output<typeof rpcMessage> | undefined): boolean {
  return rpc?.id === undefined && rpc?.method.startsWith("notifications/") === true;
}

function versionProblem(version: string | readonly string[] | undefined): string | undefined {
  if (version === undefined) return undefined;
  if (typeof version === "string" && protocolVersions.includes(version)) return undefined;
  return `MCP-Protocol-Version is ${quote(version)}. Use one of: ${protocolVersions.join(", ")}.`;
}

/** Clients initialize again after this status. */
function noSession(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({
    detail: "There is no MCP session with this id. It was closed or idle: initialize again.",
  });
}
