import { randomUUID } from "node:crypto";

import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import { failures, plainText } from "../http-failures.ts";
import type { ServedTools } from "../served-tools.ts";
import type { Session } from "../session.ts";
import { textOf } from "../text.ts";
import { sessionCookie, setSessionCookie } from "./cookie.ts";
import { lastTurn, messageOf, type ModelTurn } from "./model-turn.ts";
import { NamedSessions } from "./named-sessions.ts";
import type { NemoSessions } from "./nemo-sessions.ts";
import { answered, closing, known, seed, toolArguments, verified } from "./schemas.ts";
import { isOver, verdict } from "./verdict.ts";

/** NeMo Gym's tool style: seed a session, call tools, verify; and close, in either style. */
export function toolRoutes(instance: FastifyInstance, tools: ServedTools, all: NemoSessions): void {
  const named = new NamedSessions(all);
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.post(
    "/seed_session",
    { schema: { body: seed, response: { 200: known, ...failures } } },
    async ({ headers, body }, reply) => {
      const { name, row } = body;
      let session: Session;
      if (name === undefined) {
        session = all.open(sessionCookie(headers.cookie));
        await all.start(session, row);
      } else session = await named.start(name, row);
      reply.header("set-cookie", setSessionCookie(session.id));
      return { resources_session_id: name };
    },
  );

  app.post(
    "/close_session",
    { schema: { body: closing, response: { 200: known, ...failures } } },
    async ({ headers, body }) => {
      const name = body?.resources_session_id;
      await (name === undefined ? all.close(sessionCookie(headers.cookie)) : named.close(name));
      return { resources_session_id: name };
    },
  );

  app.post(
    "/verify",
    { schema: { body: answered, response: { 200: verified, ...failures } } },
    async ({ headers, body }) => {
      const cookie = sessionCookie(headers.cookie);
      const turn = lastTurn(body.response);
      const known = all.outcome(cookie);
      if (known !== undefined) return verdict(body, await known);
      const session = all.running(cookie);
      return verdict(body, await all.end(session, () => conclude(session, turn)));
    },
  );

  app.post(
    "/:tool",
    {
      schema: {
        params: z.object({ tool: z.string() }),
        body: toolArguments,
        response: { 200: plainText, ...failures },
      },
    },
    async ({ headers, params, body }, reply) => {
      const cookie = sessionCookie(headers.cookie);
      const message = tools.call(params.tool, body ?? {}, `call_${randomUUID()}`);
      reply.type("text/plain; charset=utf-8");
      if (all.outcome(cookie) !== undefined) return isOver;
      const { messages, isDone } = await all.running(cookie).step(message);
      return [textOf(messages), isDone ? isOver : ""].filter(Boolean).join("\n\n");
    },
  );
}

/** Takes what the model said last as its reply; if that was a call that nobody made, a limit was reached. */
async function conclude(session: Session, turn: ModelTurn) {
  const { calls, isTruncated } = turn;
  if (calls.length === 0) await session.step(messageOf(turn), { isTruncated });
  return session.finish();
}
