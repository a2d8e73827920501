import type { FastifyInstance } from "fastify";

import type { Served } from "../context.ts";
import { excessOf } from "../json-bounds.ts";
import type { Sessions } from "../sessions.ts";
import { answerMcp, notJson, refusedRequest, rpcRequest, rpcResponse } from "./mcp.ts";

/** JSON-RPC over HTTP. It answers 200 whatever comes, so it reads bodies itself. Wants a scope of its own. */
export function mcpRoute(app: FastifyInstance, served: Served, sessions: Sessions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.post(
    "/mcp",
    {
      schema: { tags: ["openenv"], body: rpcRequest, response: { 200: rpcResponse } },
      validatorCompiler: () => (value) => ({ value }),
    },
    async ({ body, log }) => {
      const text = (body ?? "") as string;
      const excess = excessOf(text);
      if (excess !== undefined) return refusedRequest(excess);
      let request: unknown;
      try {
        request = JSON.parse(text);
      } catch {
        return notJson;
      }
      return answerMcp(request, { served, sessions, log: (err) => log.error({ err }) });
    },
  );
}
